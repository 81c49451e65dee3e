"""Lists as pages of the panel: filters, counts, pages of rows, downloads, and actions on selected rows."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from msgspec import Struct, structs

from trilha.access.permissions.roles import Permission
from trilha.core.database import Tx
from trilha.core.lists import Count, List, count, fetch_nonempty_page, prepare
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery, Page
from trilha.core.web.routes import Refusal
from trilha.kit import N_, NN_, formats
from trilha.platform.saved_views import queries as saved_views
from trilha.web.panel.choices import Choices
from trilha.web.panel.view import HOME, PanelView

T = TypeVar("T", bound=Struct)


Offer = Callable[[Tx, PanelView, Any], Awaitable[Choices]]


class Column(Struct, frozen=True):
    """A column of a table. Its `label` is a msgid, and `sort` is the order that its heading selects.

    With `roles`, only these roles see the column.
    """

    label: str
    sort: str = ""
    numeric: bool = False
    quiet: bool = False
    roles: Collection[str] = ()


ACTIONS = Column(N_("Actions"), quiet=True)


class Choice(Struct, frozen=True, kw_only=True):
    """A filter with `options` (values and msgids), or with choices from the database.

    `label` is the msgid for no choice. `more` puts it behind the button for more filters.
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
    """A filter that is on or off. With `roles`, it has no effect for other roles."""

    name: str
    label: str
    roles: Collection[str] = ()


class Day(Struct, frozen=True, kw_only=True):
    """A filter for a day of the tenant's calendar. `chip` is the msgid of the chosen day, with `%(day)s`."""

    name: str
    label: str
    chip: str


SINCE = Day(name="since", label=N_("From"), chip=N_("From %(day)s"))
UNTIL = Day(name="until", label=N_("Until"), chip=N_("Until %(day)s"))


class Action(Struct, frozen=True):
    """A button that leads to another page, for viewers with the permission. `label` is a msgid."""

    label: str
    path: str
    icon: str
    permission: Permission | None = None
    primary: bool = False


class Empty(Struct, frozen=True):
    """The text and buttons of an empty list: `actions`, or the page's primary button. All texts are msgids.

    Viewers without the `permission` see `otherwise`.
    """

    title: str
    text: str = ""
    icon: str = "inbox"
    actions: Sequence[Action] | None = None
    permission: Permission | None = None
    otherwise: "Empty | None" = None


class Download(Struct, frozen=True):
    """A button that downloads the filtered rows."""

    path: str
    label: str = N_("Download as CSV")
    icon: str = "download"


class BulkButton(Struct, frozen=True, kw_only=True):
    """A button that sends the selected rows to `path`. `attributes` are further ones of the button.

    With `permission`, only viewers who have it see it.
    """

    path: str
    label: str
    icon: str = ""
    primary: bool = True
    attributes: Mapping[str, str] = {}
    permission: Permission | None = None


class Bulk(Struct, frozen=True, kw_only=True):
    """A bar of buttons for the selected rows. With `every`, it also offers all rows that match the filters.

    Viewers who see none of the buttons cannot select rows. The first MAX_BUTTONS stand in the bar, the
    others in a menu.
    """

    buttons: Sequence[BulkButton]
    every: bool = True


MAX_BUTTONS = 3
VIEWS = f"{HOME}/views"


class Table(Struct, Generic[T], frozen=True, kw_only=True):
    """A list as a page. All texts are msgids.

    - `columns`: a msgid alone is a column that sorts by nothing.
    - `row`: the template of the cells of a row, which is given the row as `row`, and `values`.
    - `load`: loads what is shown of the rows, where the list has only a part of it.
    - `counted`: the msgids of one result and of many.
    - `above`: the template of what stands above the filters; `head` of what stands above the rows instead of
      their count.
    - `crumbs`: msgids and addresses of the pages above.
    """

    path: str
    title: str
    row: str
    columns: Sequence[Column | str]
    listing: List[T] | None = None
    load: Callable[[Tx, Sequence[T]], Awaitable[Sequence[Any]]] | None = None
    values: Mapping[str, Any] = {}
    counted: tuple[str, str] = NN_("%(num)s result", "%(num)s results")
    crumbs: Sequence[tuple[str, str]] = ()
    lead: str = ""
    above: str = ""
    head: str = ""
    actions: Sequence[Action] = ()
    empty: Empty = Empty(N_("There is nothing here yet"))
    search: str = ""
    choices: Sequence[Choice] = ()
    checks: Sequence[Check] = ()
    days: Sequence[Day] = ()
    download: Download | None = None
    bulk: Bulk | None = None


class Results(Struct, Generic[T], frozen=True):
    """A page of rows, and the total number of rows."""

    page: Page[T]
    count: Count


async def show(
    tx: Tx,
    view: PanelView,
    table: Table[Any],
    query: ListQuery,
    reach: Any = None,
    *,
    list_query: ListQuery | None = None,
    results: Results[Any] | None = None,
    template: str = "panel/table.html",
    named: Mapping[str, str] | None = None,
    sortable: bool = True,
    refusal: Refusal | None = None,
    begins: Mapping[str, object] | None = None,
    sentences: Mapping[str, str] | None = None,
    **values: Any,
) -> Html:
    """The whole page, or what htmx asks for of it: the list, or its further rows.

    `list_query` is the list's own query, where that of the page is another; `results` the rows, where they
    come from elsewhere. `named` are words for members of the query that are filters without a place among the
    table's. A table is not `sortable` where a filter has an order of its own. `refusal`, `begins` and
    `sentences` are those of the form on the page: see View.form. The `template` of the whole page includes
    `panel/_filtered_table.html`.
    """
    only_rows = bool(view.page.fragment and query.cursor)
    if results is None:
        asked = structs.replace(list_query or query, cursor=query.cursor, limit=query.limit)
        results = await _load(tx, table, asked, reach, counted=not only_rows)
    rows, cursor = results.page.data, results.page.next_cursor
    buttons = [each for each in table.bulk.buttons if _may(view, each)] if table.bulk else []
    bulk = table.bulk if buttons else None
    values |= {
        "table": table,
        "rows": await table.load(tx, rows) if table.load else rows,
        "columns": [each for each in _columns(table) if _is_for(view, each)],
        "bulk": bulk,
        "bulk_buttons": (buttons[:MAX_BUTTONS], buttons[MAX_BUTTONS:]),
        "only_rows": only_rows,
        "query": query,
        "following": address(table.path, query, cursor=cursor) if cursor else "",
    }
    values = {**table.values, **values}
    if only_rows:
        return view.show("panel/_table_rows.html", **values)
    filters: Sequence[Any] = [*table.choices, *table.days, *table.checks]
    offered = {each.name: await each.offer(tx, view, getattr(query, each.name)) for each in table.choices}
    checks = [each for each in table.checks if _is_for(view, each)]
    words = {**_words(view, table, query, offered, checks), **(named or {})}
    active = chips(table.path, query, words)
    empty = table.empty if _may(view, table.empty) else table.empty.otherwise
    assert empty is not None
    values |= {
        "count": results.count,
        "offered": offered,
        "checks": checks,
        "hidden": _list_set_members(query, "q", "limit", "cursor", *(each.name for each in filters)),
        "chosen": _list_set_members(query, "limit", "cursor", "sort") if bulk and bulk.every else {},
        "sorts": _sorts(table, query) if sortable else {},
        "active": active,
        "clear": address(table.path, query, **dict.fromkeys(words)),
        "actions": [each for each in table.actions if _may(view, each)],
        **await _load_views(tx, view, table, query),
        "empty": empty,
        "empty_actions": _of_empty(view, table, empty),
        "download": address(table.download.path, query) if table.download else "",
    }
    return view.form(
        "panel/_table.html" if view.page.fragment else template, refusal, begins, sentences, **values
    )


async def _load_views(tx: Tx, view: PanelView, table: Table[Any], query: Struct) -> dict[str, Any]:
    """Loads the saved views of the list. `present` is its address with its present filters, and `save_view`
    the page that saves them, if there are any.
    """
    if not (table.search or table.choices or table.checks or table.days):
        return {"saved_views": [], "present": "", "save_view": "", "present_view": None}
    views = await saved_views.list_of(tx, table.path, view.viewer.user_id, view.viewer.role)
    filters = _list_set_members(query, "limit", "cursor")
    present = f"{table.path}?{urlencode(filters)}" if filters else table.path
    saving = urlencode({"list": table.path, "filters": urlencode(filters)})
    return {
        "saved_views": views,
        "present": present,
        "save_view": f"{VIEWS}/new?{saving}" if filters else "",
        "present_view": next((each for each in views if each.address == present), None),
    }


def _columns(table: Table[Any]) -> list[Column]:
    return [Column(each) if isinstance(each, str) else each for each in table.columns]


def _may(view: PanelView, element: Action | Empty | BulkButton) -> bool:
    return element.permission is None or view.may(element.permission)


def _is_for(view: PanelView, element: Column | Check) -> bool:
    return not element.roles or view.viewer.role in element.roles


def _of_empty(view: PanelView, table: Table[Any], empty: Empty) -> list[Action]:
    primary = [each for each in table.actions if each.primary]
    return [each for each in (primary if empty.actions is None else empty.actions) if _may(view, each)]


def _words(
    view: PanelView,
    table: Table[Any],
    query: Any,
    offered: Mapping[str, Choices],
    checks: Sequence[Check],
) -> dict[str, str]:
    """Describes the active filters."""
    words = {"q": query.q or ""} if table.search else {}
    for name, each in offered.items():
        words[name] = each.words(getattr(query, name)) or view.say(N_("Another one"))
    words |= {each.name: view.say(each.label) for each in checks}
    for day in table.days:
        if (value := getattr(query, day.name)) is not None:
            text = formats.day_text(view.page, date.fromisoformat(value))
            words[day.name] = view.say(day.chip, day=text)
    return words


def _list_set_members(query: Struct, *without: str, **changed: object) -> dict[str, str]:
    """The members of a query that are set, as in an address or a form."""
    usual = type(query)()
    values = structs.asdict(query) | changed
    return {
        name: "true" if value is True else str(value)
        for name, value in values.items()
        if name not in without and value not in (None, getattr(usual, name, None))
    }


def _sorts(table: Table[Any], query: Any) -> dict[str, tuple[str, str]]:
    """For each sortable heading: the address that it leads to, and its present order."""
    sorts: dict[str, tuple[str, str]] = {}
    usual: str = getattr(type(query)(), "sort", "")
    for name in (each.sort for each in _columns(table) if each.sort):
        key = name.lstrip("-")
        turned = key if name != key else f"-{key}"
        other = {name: turned, turned: usual}.get(query.sort, name)
        now = {key: "ascending", f"-{key}": "descending"}.get(query.sort, "")
        sorts[name] = address(table.path, query, sort=other), now
    return sorts


async def _load(tx: Tx, table: Table[T], query: ListQuery, reach: Any, *, counted: bool) -> Results[T]:
    """Loads the page of a query. Rows that are appended to a displayed page are not counted."""
    assert table.listing is not None
    prepared = await prepare(tx, table.listing, query, reach)
    page = await fetch_nonempty_page(tx, table.listing, query, reach, prepared=prepared)
    shown = len(page.data)
    if not counted or (query.cursor is None and not page.has_more):
        return Results(page, Count(shown))
    total = await count(tx, table.listing, query, reach, prepared=prepared)
    return Results(page, Count(max(total.total, shown), total.exact))


def moments(view: PanelView, query: Any) -> dict[str, Any]:
    """Returns the moments at which the days `since` and `until` of a query begin and end, in the tenant's
    time zone.
    """
    zone, until = view.page.time_zone, getattr(query, "until", None)
    return {"since": query.since and query.since.begin(zone), "until": until and until.end(zone)}


def address(path: str, query: Struct, **changed: object) -> str:
    """Returns the address of the first page of the list at `path`, with the query's filters and the
    changed ones.
    """
    given = _list_set_members(query, **({"cursor": None} | changed))
    return f"{path}?{urlencode(given)}" if given else path


def chips(path: str, query: Struct, words: Mapping[str, str]) -> list[tuple[str, str]]:
    """Returns each active filter with the address of the list without it."""
    usual: Any = type(query)()
    return [
        (shown, address(path, query, **{name: None}))
        for name, shown in words.items()
        if getattr(query, name) not in (None, getattr(usual, name))
    ]
