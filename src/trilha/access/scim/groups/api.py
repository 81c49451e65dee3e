"""/scim/v2/Groups"""

from collections.abc import Sequence
from typing import ClassVar
from uuid import UUID

from msgspec import Struct

from trilha.access.scim import reading
from trilha.access.scim.access import BY_TOKEN
from trilha.access.scim.answers import (
    BaseAddress,
    Resource,
    build_answer,
    build_list,
    build_resource_answer,
    check_media_type,
    check_precondition,
    select_attributes,
)
from trilha.access.scim.errors import not_found
from trilha.access.scim.groups import actions, queries
from trilha.access.scim.groups.resources import resource
from trilha.access.scim.groups.schema import GroupBody, GroupList, GroupResource, Membership, ScimGroup
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
from trilha.access.scim.users.api import PatchSent, SearchSent
from trilha.core.database import Tx
from trilha.core.web.answers import WrittenAnswer
from trilha.core.web.parsing import parse_uuid
from trilha.core.web.request import Request
from trilha.core.web.routes import RawBody, Routes

routes = Routes("Groups", "Learning groups and their members.")
_CHANGING = ("invalidSyntax", "invalidValue", "uniqueness")


class GroupSent(RawBody, frozen=True):
    described: ClassVar[type[Struct] | None] = GroupBody


@routes.get("/Groups", access=BY_TOKEN, errors=["invalidFilter", "invalidValue", "invalidCursor"])
async def list_scim_groups(tx: Tx, query: ListQuery, base: BaseAddress) -> WrittenAnswer[GroupList]:
    """List groups, oldest first."""
    return await _list(tx, read_list_request(query), base)


@routes.post(
    "/Groups/.search",
    access=BY_TOKEN,
    writes=False,
    errors=["invalidSyntax", "invalidFilter", "invalidValue", "invalidCursor"],
)
async def search_scim_groups(
    tx: Tx, data: SearchSent, request: Request, base: BaseAddress
) -> WrittenAnswer[GroupList]:
    """List groups like GET /Groups, with the parameters in the body."""
    check_media_type(request)
    return await _list(tx, read_search_request(data.content), base)


async def _list(tx: Tx, request: ListRequest, base: BaseAddress) -> WrittenAnswer[GroupList]:
    condition = reading.condition_of_groups(request.filter) if request.filter is not None else None
    page = await queries.list_page(tx, request, condition)
    resources = await build_resources(tx, page.rows, request.selection, base)
    start = request.start if request.cursor is None else None
    return build_answer(build_list(resources, page.total, start, page.next_cursor))


async def build_resources(
    tx: Tx, groups: Sequence[ScimGroup], selection: AttributeSelection, base: BaseAddress
) -> list[Resource]:
    """Returns resources. Members are loaded only if they are selected."""
    members: dict[UUID, list[Membership]] = {}
    if groups and selection.has("members"):
        for membership in await queries.members_of(tx, [group.id for group in groups]):
            members.setdefault(membership.group_id, []).append(membership)
    return [
        select_attributes(resource(membership, members.get(membership.id, []), base), selection)
        for membership in groups
    ]


@routes.post("/Groups", tells=["ETag", "Location"], access=BY_TOKEN, status=201, errors=_CHANGING)
async def create_scim_group(
    tx: Tx, data: GroupSent, query: AttributesQuery, request: Request, base: BaseAddress
) -> WrittenAnswer[GroupResource]:
    """Create a group. Unknown ids of members are ignored."""
    check_media_type(request)
    change = reading.group_to(json_object(data.content))
    return await _answer_change(
        tx, await actions.create(tx, change), read_selection(query), request, base, 201
    )


@routes.get("/Groups/{group_id}", tells=["ETag"], access=BY_TOKEN, errors=["404", "invalidValue"])
async def get_scim_group(
    tx: Tx, group_id: str, query: AttributesQuery, request: Request, base: BaseAddress
) -> WrittenAnswer[GroupResource]:
    """Retrieve a group. Members are included unless they are excluded."""
    key = parse_uuid(group_id)
    group = await queries.find(tx, key) if key else None
    if group is None:
        raise not_found("group")
    return await _answer_group(tx, group, read_selection(query), request, base)


@routes.put("/Groups/{group_id}", tells=["ETag"], access=BY_TOKEN, errors=["404", "412", *_CHANGING])
async def replace_scim_group(
    tx: Tx, group_id: str, data: GroupSent, query: AttributesQuery, request: Request, base: BaseAddress
) -> WrittenAnswer[GroupResource]:
    """Replace a group: its name and all of its members."""
    check_media_type(request)
    group = await _lock(tx, group_id, request, base)
    change = reading.group_to(json_object(data.content))
    return await _answer_change(
        tx, await actions.apply(tx, group, change), read_selection(query), request, base
    )


@routes.patch(
    "/Groups/{group_id}",
    tells=["ETag"],
    access=BY_TOKEN,
    errors=["404", "412", "mutability", "invalidPath", "noTarget", "tooMany", *_CHANGING],
)
async def update_scim_group(
    tx: Tx, group_id: str, data: PatchSent, query: AttributesQuery, request: Request, base: BaseAddress
) -> WrittenAnswer[GroupResource]:
    """Update a group or its members. Either all operations are applied or none."""
    check_media_type(request)
    body = json_object(data.content)
    group = await _lock(tx, group_id, request, base)
    change = reading.group_patch(body, group.id)
    return await _answer_change(
        tx, await actions.apply(tx, group, change), read_selection(query), request, base
    )


@routes.delete("/Groups/{group_id}", access=BY_TOKEN, status=204, errors=["404", "412"])
async def delete_scim_group(tx: Tx, group_id: str, request: Request, base: BaseAddress) -> None:
    """Delete a group. Its members remain users."""
    group = await _lock(tx, group_id, request, base)
    await actions.delete(tx, group)
    request.notes["changed"] = ["displayName", "members"]


async def _lock(tx: Tx, group_id: str, request: Request, base: BaseAddress) -> ScimGroup:
    key = parse_uuid(group_id)
    if key is None:
        raise not_found("group")
    group = await actions.lock(tx, key)
    request.notes["resource"] = key
    check_precondition(request, resource(group, (), base)["meta"]["version"])
    return group


async def _answer_change(
    tx: Tx,
    change: actions.GroupChange,
    selection: AttributeSelection,
    request: Request,
    base: BaseAddress,
    status: int = 200,
) -> WrittenAnswer[GroupResource]:
    request.notes["changed"] = change.changed
    request.notes["resource"] = change.group.id
    return await _answer_group(tx, change.group, selection, request, base, status)


async def _answer_group(
    tx: Tx,
    group: ScimGroup,
    selection: AttributeSelection,
    request: Request,
    base: BaseAddress,
    status: int = 200,
) -> WrittenAnswer[GroupResource]:
    (built,) = await build_resources(
        tx, [group], AttributeSelection() if selection.has("members") else _WITHOUT_MEMBERS, base
    )
    return build_resource_answer(built, selection, request, status)


_WITHOUT_MEMBERS = AttributeSelection(but=frozenset(["members"]))
