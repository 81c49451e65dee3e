"""Choosing people on a page: those who are ticked, or all active people whom its search finds."""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.lists import list_ids
from trilha.core.types import STORABLE
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.panel import choices, lists
from trilha.panel.choices import Choices
from trilha.panel.people.words import ROLES
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.users import selection
from trilha.users.lists import PEOPLE
from trilha.users.schema import PeopleQuery, Role

MOST = 10_000
FILTERS = ("q", "unit", "group", "role")
ROWS = "panel/_candidate_rows.html"
Typed = Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]


class PeopleSearch(ListQuery, frozen=True, kw_only=True):
    q: Typed | None = None
    unit: UUID | None = None
    group: UUID | None = None
    role: Role | None = None


class PeopleFilters(Struct, frozen=True, kw_only=True):
    """The same in a form."""

    q: Typed | None = None
    unit: UUID | None = None
    group: UUID | None = None
    role: Role | None = None


class ChosenPeople(PeopleFilters, frozen=True, kw_only=True):
    """People by their ids, or `all` whom the search finds."""

    id: list[UUID] = []
    all: bool = False


def active_people(search: Any, cursor: str | None = None) -> PeopleQuery:
    """What the list of people is asked, for a page and for a form with the same filters."""
    return PeopleQuery(status="ACTIVE", cursor=cursor, **{name: getattr(search, name) for name in FILTERS})


async def show(
    tx: Tx,
    view: PanelView,
    query: PeopleSearch,
    address: str,
    templates: Sequence[str],
    *asked: Any,
    **values: Any,
) -> Html:
    """The page with the people found and the filters that are offered.

    Its `templates` are the whole page, and for htmx its list and further rows. `asked` are the refusal, the
    beginning and the sentences of its form.
    """
    counted = not (view.page.fragment and query.cursor)
    found = await lists.find(tx, PEOPLE, active_people(query, query.cursor), reach_of(view), counted=counted)
    whole = not view.page.fragment
    values |= {
        "people": found.page.data,
        "total": found.total,
        "most": found.most,
        "query": query,
        "address": address,
        "names": FILTERS,
        "units": await choices.units(tx, view, query.unit) if whole else Choices(),
        "groups": await choices.groups(tx, view, query.group) if whole else Choices(),
        "roles": ROLES,
        "following": lists.following(address, query, found.page.next_cursor),
    }
    template = templates[0] if whole else templates[2] if query.cursor else templates[1]
    return view.form(template, *asked, **values)


async def find_chosen(tx: Tx, view: PanelView, form: ChosenPeople) -> list[UUID]:
    """Within reach. Raises Invalid where they are more than MOST."""
    if not form.all:
        return [each.id for each in await selection.find_by_ids(tx, form.id, reach_of(view))]
    ids, _ = await list_ids(tx, PEOPLE, active_people(form), reach_of(view), most=MOST + 1)
    if len(ids) > MOST:
        raise invalid("all", "out_of_range")
    return ids
