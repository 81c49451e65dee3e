"""/scim/v2/Users"""

from typing import ClassVar

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.web.answers import Written
from trilha.core.web.parsing import parse_uuid
from trilha.core.web.request import Request
from trilha.core.web.routes import RawBody, Routes
from trilha.scim import reading
from trilha.scim.access import BY_TOKEN
from trilha.scim.answers import (
    BaseAddress,
    answered,
    answered_one,
    check_media_type,
    check_precondition,
    listed,
    narrowed,
)
from trilha.scim.errors import not_found
from trilha.scim.messages import PatchBody, SearchBody, UserList
from trilha.scim.parameters import Asked, ListQuery, Shown, ShownQuery, asked, asked_in, json_object, shown
from trilha.scim.users import actions, queries, rules
from trilha.scim.users.schema import UserBody, UserResource
from trilha.scim.users.writing import resource

routes = Routes("Users", "People.")
_CHANGING = ("invalidSyntax", "invalidValue", "uniqueness", "403", "409")


class UserSent(RawBody, frozen=True):
    described: ClassVar[type[Struct] | None] = UserBody


class SearchSent(RawBody, frozen=True):
    described: ClassVar[type[Struct] | None] = SearchBody


class PatchSent(RawBody, frozen=True):
    described: ClassVar[type[Struct] | None] = PatchBody


@routes.get("/Users", access=BY_TOKEN, errors=["invalidFilter", "invalidValue", "invalidCursor"])
async def list_scim_users(tx: Tx, query: ListQuery, base: BaseAddress) -> Written[UserList]:
    """List users, oldest first."""
    return await _list(tx, asked(query), base)


@routes.post(
    "/Users/.search",
    access=BY_TOKEN,
    writes=False,
    errors=["invalidSyntax", "invalidFilter", "invalidValue", "invalidCursor"],
)
async def search_scim_users(
    tx: Tx, data: SearchSent, request: Request, base: BaseAddress
) -> Written[UserList]:
    """List users as a GET does, asked for in a body."""
    check_media_type(request)
    return await _list(tx, asked_in(data.content), base)


async def _list(tx: Tx, wanted: Asked, base: BaseAddress) -> Written[UserList]:
    condition = reading.condition_of_users(wanted.filter) if wanted.filter is not None else None
    page = await queries.list_page(tx, wanted, condition)
    told = [narrowed(resource(each, base), wanted.shown) for each in page.rows]
    start = wanted.start if wanted.cursor is None else None
    return answered(listed(told, page.total, start, page.next_cursor))


@routes.post("/Users", tells=["ETag", "Location"], access=BY_TOKEN, status=201, errors=_CHANGING)
async def create_scim_user(
    tx: Tx, data: UserSent, query: ShownQuery, request: Request, base: BaseAddress
) -> Written[UserResource]:
    """Create a user, a learner. One that was deleted, or is inactive with the same externalId, is revived."""
    check_media_type(request)
    given = reading.given_user(json_object(data.content))
    return _kept(await actions.create(tx, given), shown(query), request, base, 201)


@routes.get("/Users/{user_id}", tells=["ETag"], access=BY_TOKEN, errors=["404", "invalidValue"])
async def get_scim_user(
    tx: Tx, user_id: str, query: ShownQuery, request: Request, base: BaseAddress
) -> Written[UserResource]:
    """Read one user. Of an administrator there is only the account."""
    key = parse_uuid(user_id)
    found = await queries.find(tx, key) if key else None
    if found is None:
        raise not_found("user")
    return answered_one(resource(found, base), shown(query), request)


@routes.put("/Users/{user_id}", tells=["ETag"], access=BY_TOKEN, errors=["404", "412", *_CHANGING])
async def replace_scim_user(
    tx: Tx, user_id: str, data: UserSent, query: ShownQuery, request: Request, base: BaseAddress
) -> Written[UserResource]:
    """Replace a user. Without `active` the status stays; without the enterprise extension that does."""
    check_media_type(request)
    found = await _locked(tx, user_id, request, base)
    given = reading.given_user(json_object(data.content))
    return _kept(await actions.change(tx, found, given, base), shown(query), request, base)


@routes.patch(
    "/Users/{user_id}",
    tells=["ETag"],
    access=BY_TOKEN,
    errors=["404", "412", "mutability", "invalidPath", "noTarget", "tooMany", *_CHANGING],
)
async def update_scim_user(
    tx: Tx, user_id: str, data: PatchSent, query: ShownQuery, request: Request, base: BaseAddress
) -> Written[UserResource]:
    """Change attributes of a user: all operations or none."""
    check_media_type(request)
    operations = reading.operations_of(json_object(data.content), reading.MOST_OPERATIONS)
    found = await _locked(tx, user_id, request, base)
    given = reading.patched_user(resource(found.scim, base), operations)
    return _kept(await actions.change(tx, found, given, base), shown(query), request, base)


@routes.delete("/Users/{user_id}", access=BY_TOKEN, status=204, errors=["404", "412", "403", "uniqueness"])
async def delete_scim_user(tx: Tx, user_id: str, request: Request, base: BaseAddress) -> None:
    """Delete a user: from here they are gone, and may not sign in; what they have learnt stays."""
    found = await _locked(tx, user_id, request, base)
    request.notes["changed"] = await actions.delete(tx, found)


async def _locked(tx: Tx, user_id: str, request: Request, base: BaseAddress) -> actions.Locked:
    """Before anything of the body is looked at: of somebody who is not there nothing is told."""
    key = parse_uuid(user_id)
    if key is None:
        raise not_found("user")
    found = await actions.lock(tx, key)
    request.notes["resource"] = key
    check_precondition(request, resource(found.scim, base)["meta"]["version"])
    # Of an administrator nothing is read, either.
    rules.check_not_admin(found.scim.role)
    return found


def _kept(
    kept: actions.Kept, chosen: Shown, request: Request, base: BaseAddress, status: int = 200
) -> Written[UserResource]:
    request.notes["changed"] = kept.changed
    request.notes["resource"] = kept.user.id
    return answered_one(resource(kept.user, base), chosen, request, status)
