"""The lists of requirements, and of the people of one."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.lists import NEWEST, Condition, List, Walk, by_owner, equal, fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.pagination import Page
from trilha.platform.tenants import queries as tenants
from trilha.training.requirements import explaining, people_queries
from trilha.training.requirements.schema import (
    PeopleQuery,
    PersonRequirement,
    Requirement,
    RequirementPerson,
)
from trilha.training.requirements.standing import State
from trilha.training.requirements.world import World, load_world

REQUIREMENTS = List(
    name="requirements",
    table="requirements",
    kind=Requirement,
    default_walk=NEWEST,
    always=(Condition(where="row.deleted_at IS NULL"),),
)


class StandingRow(Struct, frozen=True):
    """A person and a requirement, without the reason."""

    requirement_id: UUID
    user_id: UUID
    state: State
    due_at: Timestamp | None
    valid_until: Timestamp | None
    enrollment_id: UUID | None


PEOPLE = List(
    name="requirements/people",
    table="requirement_people",
    kind=StandingRow,
    id="user_id",
    default_walk=Walk(keys=("user_id",)),
    filters={"state": equal("state", "user_id")},
    reach=by_owner("requirement_id", "user_id"),
)
_OF_PERSON = """
    SELECT p.requirement_id, p.user_id, p.state, p.due_at, p.valid_until, p.enrollment_id
    FROM requirement_people p
    JOIN requirements r ON r.tenant_id = p.tenant_id AND r.id = p.requirement_id
    WHERE p.tenant_id = :tenant AND p.user_id = :user_id AND r.deleted_at IS NULL
    ORDER BY p.due_at, r.created_at, r.id
"""


async def fetch_people(tx: Tx, requirement_id: UUID, query: PeopleQuery) -> Page[RequirementPerson]:
    """Returns a page of the people to whom a requirement applies."""
    page = await fetch_page(tx, PEOPLE, query, requirement_id)
    because = await _explain(tx, page.data)
    people = [
        RequirementPerson(**_members(row), because=sentence, user_id=row.user_id)
        for row, sentence in zip(page.data, because, strict=True)
    ]
    return Page(people, page.next_cursor, page.has_more, page.limit)


async def list_of_person(tx: Tx, user_id: UUID, locale: str | None = None) -> list[PersonRequirement]:
    """Lists the requirements that apply to a person, the earliest due date first. The reasons are in the
    company's language, unless another is given.
    """
    rows = await tx.list(StandingRow, _OF_PERSON, user_id=user_id)
    because = await _explain(tx, rows, locale)
    return [
        PersonRequirement(**_members(row), because=sentence)
        for row, sentence in zip(rows, because, strict=True)
    ]


async def explain_enrollment(tx: Tx, user_id: UUID, enrollment_id: UUID, locale: str) -> list[str]:
    """Returns for each requirement why a person must take this enrollment's course."""
    requirements = await list_of_person(tx, user_id, locale)
    return [each.because for each in requirements if each.enrollment_id == enrollment_id]


def _members(row: StandingRow) -> dict[str, Any]:
    members = structs.asdict(row)
    del members["user_id"]
    return members


async def _explain(tx: Tx, rows: Sequence[StandingRow], locale: str | None = None) -> list[str]:
    """Returns for each row why the requirement applies."""
    if not rows:
        return []
    world: World = await load_world(tx)
    ids = list({row.user_id for row in rows})
    people = {each.id: each for each in await people_queries.list_people(tx, ids, world.parents)}
    loaded = [world.by_id[row.requirement_id] for row in rows]
    names = await explaining.load_names(tx, [each.node for each in loaded if each.node is not None])
    if locale is None:
        locale = (await tenants.get(tx)).locale
    titles = {each.id: each.requirement.title for each in loaded}
    return [
        explaining.explain(titles[each.id], each.node, people.get(row.user_id), names, locale)
        for row, each in zip(rows, loaded, strict=True)
    ]
