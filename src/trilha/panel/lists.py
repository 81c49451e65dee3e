"""What the lists of the panel have in common: addresses with their filters, and the part htmx asks for."""

from typing import Any
from urllib.parse import urlencode

from msgspec import Struct, structs

from trilha.panel.view import PanelView


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
