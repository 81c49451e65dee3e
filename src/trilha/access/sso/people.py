"""People as the sign-in pages name them."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx


class Administrator(Struct, frozen=True):
    """An administrator who may sign in with a password. `break_glass`: also while the company requires
    its provider.
    """

    id: UUID
    name: str
    email: str
    break_glass: bool


async def list_administrators(tx: Tx) -> list[Administrator]:
    """Returns the active administrators who have a password, by name."""
    return await tx.list(
        Administrator,
        """
        SELECT id, name, email, break_glass FROM users
        WHERE tenant_id = :tenant AND role = 'admin' AND status = 'ACTIVE' AND password_hash IS NOT NULL
        ORDER BY name, id LIMIT 500
        """,
    )


async def names_of(tx: Tx, user_ids: Sequence[UUID]) -> Mapping[UUID, str]:
    """Returns the names of those users who exist, by id."""
    sql = "SELECT id, name FROM users WHERE tenant_id = :tenant AND id = ANY(:ids)"
    return {row["id"]: row["name"] for row in (await tx.rows(sql, ids=list(user_ids)) if user_ids else ())}
