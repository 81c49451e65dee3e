"""Secrets that rotate: those of API keys, OAuth clients and webhook endpoints."""

from uuid import UUID

from msgspec import Struct

from trilha.core.credentials import LiveSecret, ends_on_rotation
from trilha.core.database import Tx
from trilha.core.types import Timestamp


class RotatingSecrets(Struct, frozen=True):
    """A table whose rows are numbered for each owner; the current secret has no `expires_at`.

    `owner` is the column of the owner's id, `content` that of the fingerprint or ciphertext. A table of
    fingerprints may store the ciphertext too, in its column `sealed`.
    """

    name: str
    owner: str
    content: str
    sealed: str | None = None

    async def insert(self, tx: Tx, owner_id: UUID, secret: bytes, sealed: bytes | None = None) -> None:
        """Inserts the owner's current secret with the next number."""
        column, value = (f", {self.sealed}", ", :sealed") if self.sealed else ("", "")
        number = await tx.value(
            f"""
            SELECT COALESCE(max(number), 0) + 1 FROM {self.name}
            WHERE tenant_id = :tenant AND {self.owner} = :owner_id
            """,  # noqa: S608
            owner_id=owner_id,
        )
        await tx.execute(
            f"""
            INSERT INTO {self.name} (tenant_id, {self.owner}, number, {self.content}{column})
            VALUES (:tenant, :owner_id, :number, :secret{value})
            """,  # noqa: S608
            owner_id=owner_id,
            number=number,
            secret=secret,
            **({"sealed": sealed} if self.sealed else {}),
        )

    async def list_live(self, tx: Tx, owner_id: UUID) -> list[LiveSecret]:
        return await tx.list(
            LiveSecret,
            f"""
            SELECT number, expires_at FROM {self.name}
            WHERE tenant_id = :tenant AND {self.owner} = :owner_id
              AND (expires_at IS NULL OR expires_at > :now)
            ORDER BY number DESC
            """,  # noqa: S608
            owner_id=owner_id,
        )

    async def end(self, tx: Tx, owner_id: UUID, grace_ends: Timestamp) -> None:
        """Sets the ends of the secrets that a new one replaces. Call it before inserting the new one."""
        live = await self.list_live(tx, owner_id)
        ends = ends_on_rotation(live, Timestamp.of(tx.now), grace_ends)
        await tx.execute(
            f"""
            UPDATE {self.name} AS secret SET expires_at = ending.at
            FROM unnest(:numbers::int[], :ends::timestamptz[]) AS ending (number, at)
            WHERE secret.tenant_id = :tenant AND secret.{self.owner} = :owner_id
              AND secret.number = ending.number
            """,  # noqa: S608
            owner_id=owner_id,
            numbers=list(ends),
            ends=list(ends.values()),
        )
