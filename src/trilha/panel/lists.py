"""What the lists of the panel have in common: pages, counts, addresses with filters, what htmx asks for."""

from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.lists import List, count, page_in_time
from trilha.core.web.pagination import ListQuery, Page
from trilha.panel.view import PanelView

T = TypeVar("T", bound=Struct)


class Found(Struct, Generic[T], frozen=True):
    """A page, and how many rows there are in all; where `total` is more than `most`, more than `most`."""

    page: Page[T]
    total: int
    most: int


async def find(
    tx: Tx, listing: List[T], query: ListQuery, reach: Any = None, *, counted: bool = True
) -> Found[T]:
    """The page that a query asks for, and unless it is further rows of one that is shown, the count."""
    page = await page_in_time(tx, listing, query, reach)
    shown = len(page.data)
    if not counted or (query.cursor is None and not page.has_more):
        return Found(page, shown, shown)
    counted_rows = await count(tx, listing, query, reach)
    most = max(counted_rows.total, shown)
    return Found(page, most if counted_rows.exact else most + 1, most)


def address(path: str, query: Struct, **changed: object) -> str:
    """The list at `path`, filtered as `query` says, but for what is changed. From its first page on."""
    usual = type(query)()
    values = structs.asdict(query) | {"cursor": None} | changed
    given = {
        name: str(value)
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
