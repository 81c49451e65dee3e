"""People as the pages of sign-in name them."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx


class Administrator(Struct, frozen=True):
    """`break_glass`: they may sign in by a password though everybody else has to come by the provider."""

    id: UUID
    name: str
    email: str
    break_glass: bool


async def list_administrators(tx: Tx) -> list[Administrator]:
    """Those who are active and have a password, by name."""
    return await tx.list(
        Administrator,
        """
        SELECT id, name, email, break_glass FROM users
        WHERE tenant_id = :tenant AND role = 'admin' AND status = 'ACTIVE' AND password_hash IS NOT NULL
        ORDER BY name, id LIMIT 500
        """,
    )


async def names_of(tx: Tx, user_ids: Sequence[UUID]) -> Mapping[UUID, str]:
    """Of those who are there."""
    sql = "SELECT id, name FROM users WHERE tenant_id = :tenant AND id = ANY(:ids)"
    return {row["id"]: row["name"] for row in (await tx.rows(sql, ids=list(user_ids)) if user_ids else ())}
