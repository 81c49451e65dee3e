"""People chosen many at once, for what is then done to all of them. Who is out of reach is nobody."""

from collections.abc import Collection
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import Walk, find_rows, get_row
from trilha.users.lists import PEOPLE
from trilha.users.reach import Reach
from trilha.users.schema import User


class Chosen(Struct, frozen=True):
    id: UUID
    email: str
    name: str


_CHOSEN = PEOPLE.showing(Chosen, "people/chosen", columns={}, usual=Walk(keys=("name_key",)))
_WITHIN = PEOPLE.showing(User, "people/within", columns={})


async def find_by_emails(tx: Tx, emails: Collection[str], reach: Reach) -> list[Chosen]:
    """`emails` are as they are stored. Erased people have none."""
    rows = await tx.rows(
        "SELECT id FROM users WHERE tenant_id = :tenant AND email = ANY(:emails)", emails=list(emails)
    )
    return await find_by_ids(tx, [row["id"] for row in rows], reach)


async def find_by_ids(tx: Tx, user_ids: Collection[UUID], reach: Reach) -> list[Chosen]:
    """By name."""
    return await find_rows(tx, _CHOSEN, list(user_ids), reach)


async def get_within(tx: Tx, user_id: UUID, reach: Reach) -> User:
    """Raises NotFound, also for who is out of reach."""
    return await get_row(tx, _WITHIN, user_id, reach, missing="user_not_found")


async def is_within(tx: Tx, user_id: UUID, reach: Reach) -> bool:
    return bool(await find_by_ids(tx, [user_id], reach))
