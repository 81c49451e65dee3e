"""The page that chooses a unit's managers or a course's instructors."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import fetch_nonempty_page
from trilha.core.role_holders import RoleHolders
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE
from trilha.people.users.schema import PeopleQuery, Person

# The number of people offered before anything is typed.
_CANDIDATES = 50


class ChosenPerson(Struct, frozen=True):
    user_id: UUID


async def list_candidates(tx: Tx, holders: RoleHolders, typed: str = "") -> Sequence[Person]:
    """Lists active people with the role who match the typed text."""
    query = PeopleQuery(q=typed or None, role=holders.role, status="ACTIVE", limit=_CANDIDATES)  # type: ignore[arg-type]
    return (await fetch_nonempty_page(tx, PEOPLE, query, EVERYONE)).data


async def load_page_values(tx: Tx, holders: RoleHolders, owner_id: UUID) -> dict[str, Any]:
    """Returns the present holders and the people who could be added."""
    there = await holders.list(tx, owner_id)
    ids = {each.id for each in there}
    return {
        "holders": there,
        "others": [each for each in await list_candidates(tx, holders) if each.id not in ids],
    }


async def add_holder(tx: Tx, holders: RoleHolders, owner_id: UUID, user_id: UUID) -> list[UUID]:
    return [*(each.id for each in await holders.list(tx, owner_id)), user_id]


async def remove_holder(tx: Tx, holders: RoleHolders, owner_id: UUID, user_id: UUID) -> list[UUID]:
    return [each.id for each in await holders.list(tx, owner_id) if each.id != user_id]
