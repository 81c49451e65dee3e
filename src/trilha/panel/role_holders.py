"""Choosing who manages a unit or teaches a course: the same page twice, in other words."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import page_in_time
from trilha.core.role_holders import RoleHolders
from trilha.users.lists import PEOPLE
from trilha.users.reach import EVERYONE
from trilha.users.schema import PeopleQuery, Person

# So many are offered before anything is typed.
_OFFERED = 50


class ChosenPerson(Struct, frozen=True):
    user_id: UUID


async def offered(tx: Tx, holders: RoleHolders, typed: str = "") -> Sequence[Person]:
    """The active people with the role, for what is typed."""
    query = PeopleQuery(q=typed or None, role=holders.role, status="ACTIVE", limit=_OFFERED)  # type: ignore[arg-type]
    return (await page_in_time(tx, PEOPLE, query, EVERYONE)).data


async def shown(tx: Tx, holders: RoleHolders, owner_id: UUID) -> dict[str, Any]:
    """What the page shows: who does it, and who could."""
    there = await holders.list(tx, owner_id)
    ids = {each.id for each in there}
    return {"holders": there, "others": [each for each in await offered(tx, holders) if each.id not in ids]}


async def with_one_more(tx: Tx, holders: RoleHolders, owner_id: UUID, user_id: UUID) -> list[UUID]:
    return [*(each.id for each in await holders.list(tx, owner_id)), user_id]


async def without(tx: Tx, holders: RoleHolders, owner_id: UUID, user_id: UUID) -> list[UUID]:
    return [each.id for each in await holders.list(tx, owner_id) if each.id != user_id]
