"""/v1/requirements, and the requirements of one user."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.web.pagination import ItemQuery, ListQuery, Page, page_of
from trilha.core.web.routes import Envelope, Routes
from trilha.people.users import queries as users
from trilha.training.requirements import actions, lists, previewing, queries
from trilha.training.requirements.lists import REQUIREMENTS
from trilha.training.requirements.schema import (
    NewRequirement,
    PeopleQuery,
    PersonRequirement,
    PreviewPage,
    Requirement,
    RequirementPatch,
    RequirementPerson,
)

routes = Routes("Requirements", "Who must hold which course or learning path, and by when.")
_RULE_ERRORS = [
    "invalid_rule",
    "rule_too_deep",
    "too_many_conditions",
    "personal_field",
    "unknown_business_unit",
    "unknown_learning_group",
    "course_not_found",
    "learning_path_not_found",
]


@routes.get("/requirements", scope=Scope.REQUIREMENTS_READ)
async def list_requirements(tx: Tx, query: ListQuery) -> Page[Requirement]:
    """List requirements, newest first."""
    return await fetch_page(tx, REQUIREMENTS, query)


@routes.post("/requirements", scope=Scope.REQUIREMENTS_WRITE, status=201, errors=_RULE_ERRORS)
async def create_requirement(tx: Tx, data: NewRequirement) -> Envelope[Requirement]:
    """Create a requirement. Trilha enrolls the people to whom its rule applies within a minute."""
    return Envelope(await actions.create(tx, data))


@routes.post("/requirements/preview", scope=Scope.REQUIREMENTS_READ, errors=_RULE_ERRORS)
async def preview_requirement(tx: Tx, data: NewRequirement, query: ListQuery) -> PreviewPage:
    """Show to whom a requirement would apply, and who would be enrolled when. Nothing is saved."""
    return await previewing.preview(tx, data, query)


@routes.get("/requirements/{requirement_id}", scope=Scope.REQUIREMENTS_READ, errors=["requirement_not_found"])
async def get_requirement(tx: Tx, requirement_id: UUID, query: ItemQuery) -> Envelope[Requirement]:
    """Retrieve a requirement."""
    return Envelope(await queries.get(tx, requirement_id))


@routes.patch(
    "/requirements/{requirement_id}",
    scope=Scope.REQUIREMENTS_WRITE,
    errors=["requirement_not_found", "one_target", "one_due_date", *_RULE_ERRORS],
)
async def update_requirement(tx: Tx, requirement_id: UUID, data: RequirementPatch) -> Envelope[Requirement]:
    """Update a requirement. The days until it is due do not begin anew for people to whom it applies."""
    return Envelope(await actions.change(tx, requirement_id, data))


@routes.delete(
    "/requirements/{requirement_id}",
    scope=Scope.REQUIREMENTS_WRITE,
    status=204,
    errors=["requirement_not_found"],
)
async def delete_requirement(tx: Tx, requirement_id: UUID) -> None:
    """Delete a requirement. People keep what they have begun."""
    await actions.delete(tx, requirement_id)


@routes.get(
    "/requirements/{requirement_id}/people",
    scope=Scope.REQUIREMENTS_READ,
    errors=["requirement_not_found"],
)
async def list_requirement_people(
    tx: Tx, requirement_id: UUID, query: PeopleQuery
) -> Page[RequirementPerson]:
    """List the people to whom a requirement applies, and where each of them stands."""
    await queries.get(tx, requirement_id)
    return await lists.fetch_people(tx, requirement_id, query)


@routes.get("/users/{user_id}/requirements", scope=Scope.REQUIREMENTS_READ, errors=["user_not_found"])
async def list_user_requirements(tx: Tx, user_id: UUID, query: ListQuery) -> Page[PersonRequirement]:
    """List the requirements that apply to a user, the earliest due date first."""
    await users.get(tx, user_id)
    requirements = await lists.list_of_person(tx, user_id)
    return page_of(tx, requirements, query, route=f"users/{user_id}/requirements")
