"""People with a role for one object: the managers of a unit, the instructors of a course."""

from collections.abc import Collection, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule


class Holder(Struct, frozen=True):
    id: UUID
    name: str
    email: str


class RoleHolders(Struct, frozen=True):
    """A table with an owner's id and a `user_id`.

    `owner` is the column of the owner's id, `role` is the role that people must have, and `refusal` is the
    error code for others.
    """

    name: str
    owner: str
    role: str
    refusal: str

    async def list(self, tx: Tx, owner_id: UUID) -> list[Holder]:
        """Lists the people by name."""
        return await tx.list(
            Holder,
            f"""
            SELECT person.id, person.name, person.email FROM {self.name} AS held
            JOIN users AS person ON person.tenant_id = held.tenant_id AND person.id = held.user_id
            WHERE held.tenant_id = :tenant AND held.{self.owner} = :owner_id
            ORDER BY person.name_key, person.id
            """,  # noqa: S608
            owner_id=owner_id,
        )

    async def replace(self, tx: Tx, owner_id: UUID, user_ids: Collection[UUID]) -> dict[str, Sequence[UUID]]:
        """Replaces the people, and returns who was `added` and `removed`; empty if nothing changed.

        Raises BusinessRule (`refusal`).
        """
        before, new_ids = {each.id for each in await self.list(tx, owner_id)}, set(user_ids)
        if before == new_ids:
            return {}
        if await self._count_of_role(tx, new_ids) < len(new_ids):
            raise BusinessRule(self.refusal)
        await self._store(tx, owner_id, new_ids)
        return {"added": sorted(new_ids - before), "removed": sorted(before - new_ids)}

    async def _count_of_role(self, tx: Tx, user_ids: Collection[UUID]) -> int:
        """Counts those with the role, and locks it until the transaction ends."""
        rows = await tx.rows(
            """
            SELECT id FROM users WHERE tenant_id = :tenant AND id = ANY(:user_ids) AND role = :role
            ORDER BY id FOR SHARE
            """,
            user_ids=list(user_ids),
            role=self.role,
        )
        return len(rows)

    async def _store(self, tx: Tx, owner_id: UUID, user_ids: Collection[UUID]) -> None:
        await tx.execute(
            f"""
            WITH gone AS (
                DELETE FROM {self.name}
                WHERE tenant_id = :tenant AND {self.owner} = :owner_id AND user_id <> ALL (:user_ids))
            INSERT INTO {self.name} (tenant_id, {self.owner}, user_id)
            SELECT :tenant, :owner_id, user_id FROM unnest(CAST(:user_ids AS uuid[])) AS user_id
            ON CONFLICT DO NOTHING
            """,  # noqa: S608
            owner_id=owner_id,
            user_ids=list(user_ids),
        )
