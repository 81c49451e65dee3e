"""/scim/v2/Users"""

from typing import ClassVar

from msgspec import Struct

from trilha.access.scim import reading
from trilha.access.scim.access import BY_TOKEN
from trilha.access.scim.answers import (
    BaseAddress,
    build_answer,
    build_list,
    build_resource_answer,
    check_media_type,
    check_precondition,
    select_attributes,
)
from trilha.access.scim.errors import not_found
from trilha.access.scim.messages import PatchBody, SearchBody, UserList
from trilha.access.scim.parameters import (
    AttributeSelection,
    AttributesQuery,
    ListQuery,
    ListRequest,
    json_object,
    read_list_request,
    read_search_request,
    read_selection,
)
from trilha.access.scim.users import actions, queries, rules
from trilha.access.scim.users.patching import apply_patch
from trilha.access.scim.users.resources import resource
from trilha.access.scim.users.schema import UserBody, UserResource
from trilha.core.database import Tx
from trilha.core.web.answers import WrittenAnswer
from trilha.core.web.parsing import parse_uuid
from trilha.core.web.request import Request
from trilha.core.web.routes import RawBody, Routes

routes = Routes("Users", "People in the tenant's directory.")
_CHANGING = ("invalidSyntax", "invalidValue", "uniqueness", "403", "409")


class UserSent(RawBody, frozen=True):
    described: ClassVar[type[Struct] | None] = UserBody


class SearchSent(RawBody, frozen=True):
    described: ClassVar[type[Struct] | None] = SearchBody


class PatchSent(RawBody, frozen=True):
    described: ClassVar[type[Struct] | None] = PatchBody


@routes.get("/Users", access=BY_TOKEN, errors=["invalidFilter", "invalidValue", "invalidCursor"])
async def list_scim_users(tx: Tx, query: ListQuery, base: BaseAddress) -> WrittenAnswer[UserList]:
    """List users, oldest first."""
    return await _list(tx, read_list_request(query), base)


@routes.post(
    "/Users/.search",
    access=BY_TOKEN,
    writes=False,
    errors=["invalidSyntax", "invalidFilter", "invalidValue", "invalidCursor"],
)
async def search_scim_users(
    tx: Tx, data: SearchSent, request: Request, base: BaseAddress
) -> WrittenAnswer[UserList]:
    """List users like GET /Users, with the parameters in the body."""
    check_media_type(request)
    return await _list(tx, read_search_request(data.content), base)


async def _list(tx: Tx, request: ListRequest, base: BaseAddress) -> WrittenAnswer[UserList]:
    condition = reading.condition_of_users(request.filter) if request.filter is not None else None
    page = await queries.list_page(tx, request, condition)
    resources = [select_attributes(resource(user, base), request.selection) for user in page.rows]
    start = request.start if request.cursor is None else None
    return build_answer(build_list(resources, page.total, start, page.next_cursor))


@routes.post("/Users", tells=["ETag", "Location"], access=BY_TOKEN, status=201, errors=_CHANGING)
async def create_scim_user(
    tx: Tx, data: UserSent, query: AttributesQuery, request: Request, base: BaseAddress
) -> WrittenAnswer[UserResource]:
    """Create a user with the role learner. A user who was deleted, or is inactive with the same externalId,
    is restored.
    """
    check_media_type(request)
    desired = reading.read_user(json_object(data.content))
    return _answer_change(await actions.create(tx, desired), read_selection(query), request, base, 201)


@routes.get("/Users/{user_id}", tells=["ETag"], access=BY_TOKEN, errors=["404", "invalidValue"])
async def get_scim_user(
    tx: Tx, user_id: str, query: AttributesQuery, request: Request, base: BaseAddress
) -> WrittenAnswer[UserResource]:
    """Retrieve a user. Of administrators, only the account name and the status are returned."""
    key = parse_uuid(user_id)
    user = await queries.find(tx, key) if key else None
    if user is None:
        raise not_found("user")
    return build_resource_answer(resource(user, base), read_selection(query), request)


@routes.put("/Users/{user_id}", tells=["ETag"], access=BY_TOKEN, errors=["404", "412", *_CHANGING])
async def replace_scim_user(
    tx: Tx, user_id: str, data: UserSent, query: AttributesQuery, request: Request, base: BaseAddress
) -> WrittenAnswer[UserResource]:
    """Replace a user. Without `active`, the status does not change; without the enterprise extension, its
    attributes do not.
    """
    check_media_type(request)
    locked = await _lock(tx, user_id, request, base)
    desired = reading.read_user(json_object(data.content))
    return _answer_change(
        await actions.change(tx, locked, desired, base), read_selection(query), request, base
    )


@routes.patch(
    "/Users/{user_id}",
    tells=["ETag"],
    access=BY_TOKEN,
    errors=["404", "412", "mutability", "invalidPath", "noTarget", "tooMany", *_CHANGING],
)
async def update_scim_user(
    tx: Tx, user_id: str, data: PatchSent, query: AttributesQuery, request: Request, base: BaseAddress
) -> WrittenAnswer[UserResource]:
    """Update attributes of a user. Either all operations are applied or none."""
    check_media_type(request)
    operations = reading.operations_of(json_object(data.content), reading.MAX_OPERATIONS)
    locked = await _lock(tx, user_id, request, base)
    desired = apply_patch(resource(locked.scim, base), operations)
    return _answer_change(
        await actions.change(tx, locked, desired, base), read_selection(query), request, base
    )


@routes.delete("/Users/{user_id}", access=BY_TOKEN, status=204, errors=["404", "412", "403", "uniqueness"])
async def delete_scim_user(tx: Tx, user_id: str, request: Request, base: BaseAddress) -> None:
    """Delete a user. The person disappears from SCIM and can no longer sign in; their training records
    remain.
    """
    locked = await _lock(tx, user_id, request, base)
    request.notes["changed"] = await actions.delete(tx, locked)


async def _lock(tx: Tx, user_id: str, request: Request, base: BaseAddress) -> actions.LockedUser:
    """Locks the user before the body is read, so that errors in the body reveal nothing about a missing
    user.
    """
    key = parse_uuid(user_id)
    if key is None:
        raise not_found("user")
    locked = await actions.lock(tx, key)
    request.notes["resource"] = key
    check_precondition(request, resource(locked.scim, base)["meta"]["version"])
    # Administrators' attributes are not read, either.
    rules.check_not_admin(locked.scim.role)
    return locked


def _answer_change(
    change: actions.UserChange,
    selection: AttributeSelection,
    request: Request,
    base: BaseAddress,
    status: int = 200,
) -> WrittenAnswer[UserResource]:
    request.notes["changed"] = change.changed
    request.notes["resource"] = change.user.id
    return build_resource_answer(resource(change.user, base), selection, request, status)
