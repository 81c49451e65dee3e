"""What the filters and the form of people offer, and the filters that are set."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from trilha.core.database import Tx
from trilha.pages import N_
from trilha.panel import choices
from trilha.panel.addresses import address
from trilha.panel.choices import Choices
from trilha.panel.people import words
from trilha.panel.view import PanelView
from trilha.users.documents import CNH_CATEGORIES
from trilha.users.schema import PeopleQuery, User
from trilha.users.sealing import DOCUMENTS

Options = Sequence[tuple[Any, str]]
PATH = "/admin/people"
_FILTERS = ("q", "status", "role", "unit", "group", "without_unit", "licence_expired", "sort")
# Those that are set or not.
_FLAGS = {
    "without_unit": N_("In no business unit"),
    "licence_expired": N_("Expired licence, in a course that asks for one"),
}
_SORTS = ("name", "last_login")


class Offered(Struct, frozen=True):
    """By filter: pairs of value and words, or Choices of many."""

    status: Options
    role: Options
    unit: Choices
    group: Choices
    flags: Options


async def offered(tx: Tx, view: PanelView, query: PeopleQuery) -> Offered:
    """Units and groups only to those who may see them."""
    return Offered(
        [(value, view.say(word)) for value, (_, word) in words.STATUSES.items()],
        [(value, view.say(word)) for value, word in words.ROLES.items()],
        await choices.units(tx, view, query.unit),
        await choices.groups(tx, view, query.group),
        [(name, view.say(word)) for name, word in _FLAGS.items() if name in _flags_of(view)],
    )


def _flags_of(view: PanelView) -> tuple[str, ...]:
    # Who manages units or teaches reaches nobody who is in none of them.
    return tuple(_FLAGS) if view.viewer.role == "admin" else ("licence_expired",)


async def of_profile(
    tx: Tx, view: PanelView, user: User | None = None, unit: object = None
) -> dict[str, Any]:
    """What the form of a profile offers, its `unit` chosen, and the documents that are on file, masked."""
    return {
        "new": user is None,
        "kept": {name: getattr(user, name, None) for name in DOCUMENTS},
        "units": await choices.units(tx, view, unit),
        "roles": role_choices(view),
        "categories": [(each, each) for each in CNH_CATEGORIES],
    }


def role_choices(view: PanelView) -> list[tuple[str, str, str]]:
    return [(role, view.say(word), view.say(words.ROLE_HINTS[role])) for role, word in words.ROLES.items()]


def filters_of(query: PeopleQuery) -> dict[str, object]:
    """Those that are set, as an address has them."""
    values = {name: getattr(query, name) for name in _FILTERS}
    flags = {name: "true" if values[name] else None for name in _FLAGS}
    return values | flags | ({"sort": None} if query.sort == "name" else {})


def active(view: PanelView, query: PeopleQuery, offer: Offered) -> list[tuple[str, str]]:
    """The words of each filter that is set, and the address without it."""
    values, found = filters_of(query), []
    for name in ("q", "status", "role", "unit", "group"):
        if (value := getattr(query, name)) is not None:
            found.append((_words(view, offer, name, value), address(PATH, values | {name: None})))
    flags = [(shown, name) for name, shown in offer.flags if getattr(query, name)]
    return found + [(shown, address(PATH, values | {name: None})) for shown, name in flags]


def _words(view: PanelView, offer: Offered, name: str, value: object) -> str:
    if name in ("unit", "group"):
        offered: Choices = getattr(offer, name)
        return offered.words(value) or view.say(N_("Another one"))
    words: dict[object, str] = dict(getattr(offer, name, ()))
    return words.get(value, str(value))


def sorts(query: PeopleQuery) -> dict[str, tuple[str, str]]:
    """By column, the address that a press on its head leads to, and how it is sorted now."""
    values, found = filters_of(query), {}
    for name in _SORTS:
        turned = f"-{name}" if query.sort == name else name
        now = {name: "ascending", f"-{name}": "descending"}.get(query.sort, "")
        found[name] = address(PATH, values | {"sort": None if turned == "name" else turned}), now
    return found
