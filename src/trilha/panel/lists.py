"""What the lists of the panel have in common: pages, counts, addresses with filters, what htmx asks for."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.lists import List, count, page_in_time, prepare
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery, Page
from trilha.pages import N_, formats
from trilha.panel.choices import Choices
from trilha.panel.view import PanelView

T = TypeVar("T", bound=Struct)


Offer = Callable[[Tx, PanelView, Any], Awaitable[Choices]]


class Column(Struct, frozen=True):
    """A column of a table; its `label` is a msgid, and `sort` what its head sorts by."""

    label: str
    sort: str = ""
    numeric: bool = False
    quiet: bool = False


class Choice(Struct, frozen=True, kw_only=True):
    """A filter: one of the `options`, by their msgids, or of what is offered from the database.

    `label` is the msgid for nothing chosen. `more` stands behind the button for more filters.
    """

    name: str
    label: str
    options: Mapping[Any, str] | Offer
    more: bool = False

    async def offer(self, tx: Tx, view: PanelView, chosen: object) -> Choices:
        if isinstance(self.options, Mapping):
            return Choices([(str(value), view.say(word)) for value, word in self.options.items()])
        return await self.options(tx, view, chosen)


class Check(Struct, frozen=True, kw_only=True):
    """A filter that is set or not; `roles` are those for whom it makes a difference."""

    name: str
    label: str
    roles: Collection[str] = ("admin", "gestor", "instrutor")


class Day(Struct, frozen=True, kw_only=True):
    """A filter: a day of the tenant's calendar. `chip` is the msgid for what is chosen, with `%(day)s`."""

    name: str
    label: str
    chip: str


class Table(Struct, Generic[T], frozen=True, kw_only=True):
    """A list as a page: what is searched, chosen, sorted and counted, and the template of the cells of a row.

    `title`, `search` and labels are msgids. The template is given the row as `row`. With `bulk`, the address
    of a form, rows can be ticked.
    """

    listing: List[T]
    path: str
    title: str
    row: str
    columns: Sequence[Column]
    search: str = ""
    choices: Sequence[Choice] = ()
    checks: Sequence[Check] = ()
    days: Sequence[Day] = ()
    bulk: str = ""


class Found(Struct, Generic[T], frozen=True):
    """A page, and how many rows there are in all; where `total` is more than `most`, more than `most`."""

    page: Page[T]
    total: int
    most: int


async def show(
    tx: Tx,
    view: PanelView,
    table: Table[Any],
    query: ListQuery,
    reach: Any = None,
    *,
    template: str = "panel/table.html",
    named: Mapping[str, str] | None = None,
    sortable: bool = True,
    **values: Any,
) -> Html:
    """The whole page, or what htmx asks for of it: the list, or its further rows.

    `named` are words for members of the query that are filters without a place among the table's. A table
    is not `sortable` where a filter has an order of its own.
    """
    only_rows = bool(view.page.fragment and query.cursor)
    found = await find(tx, table.listing, query, reach, counted=not only_rows)
    values |= {"table": table, "rows": found.page.data, "only_rows": only_rows, "query": query}
    values["following"] = following(table.path, query, found.page.next_cursor)
    if only_rows:
        return view.show(template, **values)
    offered = {each.name: await each.offer(tx, view, getattr(query, each.name)) for each in table.choices}
    checks = [each for each in table.checks if view.viewer.role in each.roles]
    return view.show(
        template,
        total=found.total,
        most=found.most,
        offered=offered,
        checks=checks,
        hidden=_hidden(table, query),
        sorts=_sorts(table, query) if sortable else {},
        active=chips(table.path, query, {**_words(view, table, query, offered, checks), **(named or {})}),
        **values,
    )


def _words(
    view: PanelView,
    table: Table[Any],
    query: Any,
    offered: Mapping[str, Choices],
    checks: Sequence[Check],
) -> dict[str, str]:
    """The filters in use, in words."""
    words = {"q": query.q or ""} if table.search else {}
    for name, each in offered.items():
        words[name] = each.words(getattr(query, name)) or view.say(N_("Another one"))
    words |= {each.name: view.say(each.label) for each in checks}
    for day in table.days:
        if (value := getattr(query, day.name)) is not None:
            words[day.name] = view.say(day.chip, day=formats.day_text(view.page, value))
    return words


def _hidden(table: Table[Any], query: Any) -> dict[str, str]:
    """What is asked beside the filters of the form."""
    filters: Sequence[Any] = [*table.choices, *table.days, *table.checks]
    shown = {"q", "limit", "cursor", "fields", *(each.name for each in filters)}
    usual: Any = type(query)()
    values = {name: getattr(query, name) for name in query.__struct_fields__ if name not in shown}
    return {name: str(value) for name, value in values.items() if value not in (None, getattr(usual, name))}


def _sorts(table: Table[Any], query: Any) -> dict[str, tuple[str, str]]:
    """By what a head sorts by: the address that a press on it leads to, and how it is sorted now."""
    sorts: dict[str, tuple[str, str]] = {}
    for name in (each.sort for each in table.columns if each.sort):
        key = name.lstrip("-")
        other = {name: key if name != key else f"-{key}"}.get(query.sort, name)
        now = {key: "ascending", f"-{key}": "descending"}.get(query.sort, "")
        sorts[name] = address(table.path, query, sort=other), now
    return sorts


async def find(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any = None, *, counted: bool = True
) -> Found[T]:
    """The page that a query asks for, and unless it is further rows of one that is shown, the count."""
    prepared = await prepare(tx, listing, query, reach)
    page = await page_in_time(tx, listing, query, reach, prepared=prepared)
    shown = len(page.data)
    if not counted or (query.cursor is None and not page.has_more):
        return Found(page, shown, shown)
    counted_rows = await count(tx, listing, query, reach, prepared=prepared)
    most = max(counted_rows.total, shown)
    return Found(page, most if counted_rows.exact else most + 1, most)


def address(path: str, query: Struct, **changed: object) -> str:
    """The list at `path`, filtered as `query` says, but for what is changed. From its first page on."""
    usual = type(query)()
    values = structs.asdict(query) | {"cursor": None} | changed
    given = {
        name: "true" if value is True else str(value)
        for name, value in values.items()
        if value is not None and value != getattr(usual, name, None)
    }
    return f"{path}?{urlencode(given)}" if given else path


def part(view: PanelView, folder: str, cursor: str | None) -> str:
    """The template: the whole page, or to htmx the list of it or its further rows."""
    if not view.page.fragment:
        return f"{folder}/list.html"
    return f"{folder}/_rows.html" if cursor else f"{folder}/_list.html"


def following(path: str, query: Struct, next_cursor: str | None) -> str:
    """The address of the next page; empty where there is none."""
    return address(path, query, cursor=next_cursor) if next_cursor else ""


def chips(path: str, query: Struct, words: dict[str, str]) -> list[tuple[str, str]]:
    """The filters in use, by the words for them, each with the address of the list without it."""
    usual: Any = type(query)()
    return [
        (shown, address(path, query, **{name: None}))
        for name, shown in words.items()
        if getattr(query, name) not in (None, getattr(usual, name))
    ]
