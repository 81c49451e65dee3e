"""The list of the people of a requirement, as a page shows it."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import Condition, Conditions, List, Walk, equal
from trilha.core.types import Timestamp
from trilha.people.users import lists as people
from trilha.people.users import words
from trilha.people.users.reach import Reach
from trilha.training.requirements.standing import State

_PERSON = "(SELECT {} FROM users WHERE tenant_id = :tenant AND id = row.user_id)"
_UNIT = """(
    SELECT unit.name FROM business_units AS unit
    WHERE unit.tenant_id = :tenant AND unit.id = row.business_unit_id)"""


class ListedPerson(Struct, frozen=True):
    """A person and where they stand. `problem` is why they could not be enrolled."""

    id: UUID
    user_id: UUID
    name: str
    email: str
    unit: str | None
    state: State
    due_at: Timestamp | None
    valid_until: Timestamp | None
    enrollment_id: UUID | None
    problem: str | None


async def _match_text(tx: Tx, query: Any, reach: Reach) -> Conditions:
    return words.find_typed(tx, query.q or "", "user_id")


def of_requirement(requirement_id: UUID) -> List[ListedPerson]:
    """Lists the people of this requirement."""
    own = Condition(
        where="row.requirement_id = :requirement_id",
        params={"requirement_id": requirement_id},
        leads=("user_id",),
    )
    return List(
        name=f"requirements/{requirement_id}/panel",
        table="requirement_people",
        kind=ListedPerson,
        id="user_id",
        columns={
            "id": "row.user_id",
            "name": _PERSON.format("name"),
            "email": _PERSON.format("email"),
            "unit": _UNIT,
        },
        default_walk=Walk(keys=("user_id",)),
        always=(own,),
        filters={"q": _match_text, "state": equal("state", "user_id")},
        reach=lambda reach: people.in_reach(reach, "user_id"),
    )
