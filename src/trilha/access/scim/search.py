"""The search over users and groups, and the endpoints that this server does not implement."""

from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from trilha.access.scim import reading
from trilha.access.scim.access import BY_TOKEN
from trilha.access.scim.answers import (
    BaseAddress,
    build_answer,
    build_list,
    check_media_type,
    select_attributes,
)
from trilha.access.scim.conditions import Condition
from trilha.access.scim.errors import ScimError, build_error, not_implemented
from trilha.access.scim.groups import queries as groups
from trilha.access.scim.groups.api import build_resources
from trilha.access.scim.parameters import ListRequest, read_search_request
from trilha.access.scim.users import queries as users
from trilha.access.scim.users.api import SearchSent
from trilha.access.scim.users.resources import resource
from trilha.core.database import Tx
from trilha.core.web.answers import WrittenAnswer
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, RawBody, Routes

routes = Routes("Search", "Users and groups together.")
missing = Routes("Not implemented", "Optional endpoints that this server does not implement.")


class AnyList(Struct, frozen=True, rename="camel"):
    """Users, followed by groups."""

    schemas: list[str]
    total_results: int
    items_per_page: int
    resources: list[dict[str, Any]] = field(name="Resources")
    start_index: int | None = None


@routes.post(
    "/.search",
    access=BY_TOKEN,
    writes=False,
    errors=["invalidSyntax", "invalidFilter", "invalidValue", "invalidCursor"],
)
async def search_everything(
    tx: Tx, data: SearchSent, request: Request, base: BaseAddress
) -> WrittenAnswer[AnyList]:
    """Search users and groups. A resource type that lacks an attribute of the filter has no matches."""
    check_media_type(request)
    request_list = read_search_request(data.content)
    if request_list.cursor is not None:
        raise build_error(
            "invalidCursor", "A search over both users and groups has no pages by cursor. Use startIndex."
        )
    of_users = _condition(reading.condition_of_users, request_list.filter)
    of_groups = _condition(reading.condition_of_groups, request_list.filter)
    if isinstance(of_users, ScimError) and isinstance(of_groups, ScimError):
        raise of_users
    user_page = await _page(users.list_page, tx, request_list, of_users)
    resources = [
        select_attributes(resource(person, base), request_list.selection) for person in user_page.rows
    ]
    # Groups fill the rest of the page after the last user.
    rest = _rest(request_list, user_page.total, len(user_page.rows))
    group_page = await _page(groups.list_page, tx, rest, of_groups)
    resources += await build_resources(tx, group_page.rows, request_list.selection, base)
    return build_answer(build_list(resources, user_page.total + group_page.total, request_list.start, None))


def _condition(read: Any, text: str | None) -> Condition | ScimError | None:
    try:
        condition: Condition | None = read(text)
    except ScimError as error:
        return error
    return condition


async def _page(list_page: Any, tx: Tx, request: ListRequest, condition: Condition | ScimError | None) -> Any:
    if isinstance(condition, ScimError):
        condition = Condition("false", {})
    try:
        return await list_page(tx, request, condition)
    except ScimError:
        if request.sort_by is None:
            raise
        # One of the two types does not have the attribute to sort by, so it keeps its default order.
        return await list_page(tx, _drop_order(request), condition)


def _drop_order(request: ListRequest) -> ListRequest:
    return replace(request, sort_by=None)


def _rest(request: ListRequest, total: int, count: int) -> ListRequest:
    return replace(request, start=max(request.start - total, 1), count=max(request.count - count, 0))


for _method in ("get", "post", "put", "patch", "delete"):

    @getattr(missing, _method)("/Me", access=BY_TOKEN, status=204, errors=["501"], described=False)  # type: ignore[untyped-decorator]
    async def answer_me(query: AnyQuery, request: Request) -> None:
        """Not implemented: a SCIM token does not belong to a person."""
        raise not_implemented()


class _Anything(RawBody, frozen=True):
    pass


@missing.post("/Bulk", access=BY_TOKEN, status=204, errors=["501"], described=False)
async def answer_bulk(data: _Anything, query: AnyQuery) -> None:
    """Not implemented."""
    raise not_implemented()
