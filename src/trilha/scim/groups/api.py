"""/scim/v2/Groups"""

from collections.abc import Sequence
from typing import ClassVar
from uuid import UUID

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
    Resource,
    answered,
    answered_one,
    check_media_type,
    check_precondition,
    listed,
    narrowed,
)
from trilha.scim.errors import not_found
from trilha.scim.groups import actions, queries
from trilha.scim.groups.schema import GroupBody, GroupList, GroupResource, Membership, ScimGroup
from trilha.scim.groups.writing import resource
from trilha.scim.parameters import Asked, ListQuery, Shown, ShownQuery, asked, asked_in, json_object, shown
from trilha.scim.users.api import PatchSent, SearchSent

routes = Routes("Groups", "Learning groups and who is in them.")
_CHANGING = ("invalidSyntax", "invalidValue", "uniqueness")


class GroupSent(RawBody, frozen=True):
    described: ClassVar[type[Struct] | None] = GroupBody


@routes.get("/Groups", access=BY_TOKEN, errors=["invalidFilter", "invalidValue", "invalidCursor"])
async def list_scim_groups(tx: Tx, query: ListQuery, base: BaseAddress) -> Written[GroupList]:
    """List groups, oldest first."""
    return await _list(tx, asked(query), base)


@routes.post(
    "/Groups/.search",
    access=BY_TOKEN,
    writes=False,
    errors=["invalidSyntax", "invalidFilter", "invalidValue", "invalidCursor"],
)
async def search_scim_groups(
    tx: Tx, data: SearchSent, request: Request, base: BaseAddress
) -> Written[GroupList]:
    """List groups as a GET does, asked for in a body."""
    check_media_type(request)
    return await _list(tx, asked_in(data.content), base)


async def _list(tx: Tx, wanted: Asked, base: BaseAddress) -> Written[GroupList]:
    condition = reading.condition_of_groups(wanted.filter) if wanted.filter is not None else None
    page = await queries.list_page(tx, wanted, condition)
    told = await tell(tx, page.rows, wanted.shown, base)
    start = wanted.start if wanted.cursor is None else None
    return answered(listed(told, page.total, start, page.next_cursor))


async def tell(tx: Tx, groups: Sequence[ScimGroup], chosen: Shown, base: BaseAddress) -> list[Resource]:
    """Their members are read only where they are shown."""
    members: dict[UUID, list[Membership]] = {}
    if groups and chosen.has("members"):
        for each in await queries.members_of(tx, [group.id for group in groups]):
            members.setdefault(each.group_id, []).append(each)
    return [narrowed(resource(each, members.get(each.id, []), base), chosen) for each in groups]


@routes.post("/Groups", tells=["ETag", "Location"], access=BY_TOKEN, status=201, errors=_CHANGING)
async def create_scim_group(
    tx: Tx, data: GroupSent, query: ShownQuery, request: Request, base: BaseAddress
) -> Written[GroupResource]:
    """Create a group. Members who are nobody here are passed over."""
    check_media_type(request)
    change = reading.group_to(json_object(data.content))
    return await _kept(tx, await actions.create(tx, change), shown(query), request, base, 201)


@routes.get("/Groups/{group_id}", tells=["ETag"], access=BY_TOKEN, errors=["404", "invalidValue"])
async def get_scim_group(
    tx: Tx, group_id: str, query: ShownQuery, request: Request, base: BaseAddress
) -> Written[GroupResource]:
    """Read one group, with its members unless they are excluded."""
    key = parse_uuid(group_id)
    found = await queries.find(tx, key) if key else None
    if found is None:
        raise not_found("group")
    return await _told(tx, found, shown(query), request, base)


@routes.put("/Groups/{group_id}", tells=["ETag"], access=BY_TOKEN, errors=["404", "412", *_CHANGING])
async def replace_scim_group(
    tx: Tx, group_id: str, data: GroupSent, query: ShownQuery, request: Request, base: BaseAddress
) -> Written[GroupResource]:
    """Replace a group: its name and all of its members."""
    check_media_type(request)
    found = await _locked(tx, group_id, request, base)
    change = reading.group_to(json_object(data.content))
    return await _kept(tx, await actions.apply(tx, found, change), shown(query), request, base)


@routes.patch(
    "/Groups/{group_id}",
    tells=["ETag"],
    access=BY_TOKEN,
    errors=["404", "412", "mutability", "invalidPath", "noTarget", "tooMany", *_CHANGING],
)
async def update_scim_group(
    tx: Tx, group_id: str, data: PatchSent, query: ShownQuery, request: Request, base: BaseAddress
) -> Written[GroupResource]:
    """Change a group, or who is in it: all operations or none."""
    check_media_type(request)
    sent = json_object(data.content)
    found = await _locked(tx, group_id, request, base)
    change = reading.group_patch(sent, found.id)
    return await _kept(tx, await actions.apply(tx, found, change), shown(query), request, base)


@routes.delete("/Groups/{group_id}", access=BY_TOKEN, status=204, errors=["404", "412"])
async def delete_scim_group(tx: Tx, group_id: str, request: Request, base: BaseAddress) -> None:
    """Delete a group; its members stay people."""
    found = await _locked(tx, group_id, request, base)
    await actions.delete(tx, found)
    request.notes["changed"] = ["displayName", "members"]


async def _locked(tx: Tx, group_id: str, request: Request, base: BaseAddress) -> ScimGroup:
    key = parse_uuid(group_id)
    if key is None:
        raise not_found("group")
    found = await actions.lock(tx, key)
    request.notes["resource"] = key
    check_precondition(request, resource(found, (), base)["meta"]["version"])
    return found


async def _kept(
    tx: Tx, kept: actions.Kept, chosen: Shown, request: Request, base: BaseAddress, status: int = 200
) -> Written[GroupResource]:
    request.notes["changed"] = kept.changed
    request.notes["resource"] = kept.group.id
    return await _told(tx, kept.group, chosen, request, base, status)


async def _told(
    tx: Tx, group: ScimGroup, chosen: Shown, request: Request, base: BaseAddress, status: int = 200
) -> Written[GroupResource]:
    (told,) = await tell(tx, [group], Shown() if chosen.has("members") else _WITHOUT_MEMBERS, base)
    return answered_one(told, chosen, request, status)


_WITHOUT_MEMBERS = Shown(but=frozenset(["members"]))
