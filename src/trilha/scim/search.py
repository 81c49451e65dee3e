"""A search of everything at once, and what this server does not do."""

from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from trilha.core.database import Tx
from trilha.core.web.answers import Written
from trilha.core.web.request import Request
from trilha.core.web.routes import AnyQuery, RawBody, Routes
from trilha.scim import reading
from trilha.scim.access import BY_TOKEN
from trilha.scim.answers import BaseAddress, answered, check_media_type, listed, narrowed
from trilha.scim.conditions import Condition
from trilha.scim.errors import ScimError, not_implemented, refused
from trilha.scim.groups import queries as groups
from trilha.scim.groups.api import tell
from trilha.scim.parameters import Asked, asked_in
from trilha.scim.users import queries as users
from trilha.scim.users.api import SearchSent
from trilha.scim.users.writing import resource

routes = Routes("Search", "Users and groups together.")
missing = Routes("Not implemented", "What this server does not do.")


class AnyList(Struct, frozen=True, rename="camel"):
    """Users, then groups."""

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
) -> Written[AnyList]:
    """Search users and groups. An attribute that one of them does not have holds for none of them."""
    check_media_type(request)
    asked = asked_in(data.content)
    if asked.cursor is not None:
        raise refused("invalidCursor", "Pages by cursor are of users, or of groups.")
    of_users = _condition(reading.condition_of_users, asked.filter)
    of_groups = _condition(reading.condition_of_groups, asked.filter)
    if isinstance(of_users, ScimError) and isinstance(of_groups, ScimError):
        raise of_users
    people = await _page(users.list_page, tx, asked, of_users)
    told = [narrowed(resource(each, base), asked.shown) for each in people.rows]
    # What of the page lies behind the last user.
    rest = _rest(asked, people.total, len(people.rows))
    teams = await _page(groups.list_page, tx, rest, of_groups)
    told += await tell(tx, teams.rows, asked.shown, base)
    return answered(listed(told, people.total + teams.total, asked.start, None))


def _condition(read: Any, text: str | None) -> Condition | ScimError | None:
    try:
        condition: Condition | None = read(text)
    except ScimError as error:
        return error
    return condition


async def _page(list_page: Any, tx: Tx, asked: Asked, condition: Condition | ScimError | None) -> Any:
    if isinstance(condition, ScimError):
        condition = Condition("false", {})
    try:
        return await list_page(tx, asked, condition)
    except ScimError:
        if asked.sort_by is None:
            raise
        # An order that one of them does not have is none.
        return await list_page(tx, _unordered(asked), condition)


def _unordered(asked: Asked) -> Asked:
    return replace(asked, sort_by=None)


def _rest(asked: Asked, total: int, shown: int) -> Asked:
    return replace(asked, start=max(asked.start - total, 1), count=max(asked.count - shown, 0))


for _method in ("get", "post", "put", "patch", "delete"):

    @getattr(missing, _method)("/Me", access=BY_TOKEN, status=204, errors=["501"], described=False)  # type: ignore[untyped-decorator]
    async def whoever_asks(query: AnyQuery, request: Request) -> None:
        """There is nobody behind a token."""
        raise not_implemented()


class _Anything(RawBody, frozen=True):
    pass


@missing.post("/Bulk", access=BY_TOKEN, status=204, errors=["501"], described=False)
async def do_many(data: _Anything, query: AnyQuery) -> None:
    """One request is one change."""
    raise not_implemented()
