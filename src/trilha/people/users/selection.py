"""Finds people chosen for a bulk action. People out of the viewer's reach are left out."""

from collections.abc import Collection
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import Walk, find_rows, get_row
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import Reach
from trilha.people.users.schema import User


class SelectedUser(Struct, frozen=True):
    id: UUID
    email: str
    name: str


_SELECTION = PEOPLE.with_kind(
    SelectedUser, "people/chosen", columns={}, default_walk=Walk(keys=("name_key",))
)
_WITHIN = PEOPLE.with_kind(User, "people/within", columns={})


async def find_by_emails(tx: Tx, emails: Collection[str], reach: Reach) -> list[SelectedUser]:
    """`emails` are in their stored form. Erased people have none."""
    rows = await tx.rows(
        "SELECT id FROM users WHERE tenant_id = :tenant AND email = ANY(:emails)", emails=list(emails)
    )
    return await find_by_ids(tx, [row["id"] for row in rows], reach)


async def find_by_ids(tx: Tx, user_ids: Collection[UUID], reach: Reach) -> list[SelectedUser]:
    """Returns the people within reach, by name."""
    return await find_rows(tx, _SELECTION, list(user_ids), reach)


async def get_within(tx: Tx, user_id: UUID, reach: Reach) -> User:
    """Raises NotFound, also if the user is out of reach."""
    return await get_row(tx, _WITHIN, user_id, reach, missing="user_not_found")


async def is_within(tx: Tx, user_id: UUID, reach: Reach) -> bool:
    return bool(await find_by_ids(tx, [user_id], reach))
