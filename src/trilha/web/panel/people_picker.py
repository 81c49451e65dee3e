"""The person picker: selected people, or all active people who match its search."""

from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.lists import list_ids
from trilha.core.types import STORABLE
from trilha.core.web.answers import Html
from trilha.core.web.pagination import ListQuery
from trilha.kit import N_, NN_
from trilha.people.users import selection
from trilha.people.users.lists import PEOPLE
from trilha.people.users.schema import PeopleQuery, Person, Role
from trilha.web.panel import choices, lists
from trilha.web.panel.lists import Bulk, BulkButton, Choice, Empty, Table
from trilha.web.panel.people.words import ROLES
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

MAX_PEOPLE = 10_000
FILTERS = ("q", "unit", "group", "role")
_SearchText = Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]


class PeopleSearch(ListQuery, frozen=True, kw_only=True):
    q: _SearchText | None = None
    unit: UUID | None = None
    group: UUID | None = None
    role: Role | None = None


class PeopleFilters(Struct, frozen=True, kw_only=True):
    """The same filters in a form."""

    q: _SearchText | None = None
    unit: UUID | None = None
    group: UUID | None = None
    role: Role | None = None


class ChosenPeople(PeopleFilters, frozen=True, kw_only=True):
    """The selected people by their ids, or `all` who match the search."""

    id: list[UUID] = []
    all: bool = False


def active_people(search: Any, cursor: str | None = None) -> PeopleQuery:
    """The query for active people, for a page and for a form with the same filters."""
    return PeopleQuery(status="ACTIVE", cursor=cursor, **{name: getattr(search, name) for name in FILTERS})


def table(path: str, title: str, label: str) -> Table[Person]:
    """Builds the table of people to choose from at `path`, with a button `label`. Both texts are msgids."""
    return Table(
        listing=PEOPLE,
        path=path,
        title=title,
        search=N_("Search by name, e-mail, CPF or employee number"),
        choices=[
            Choice(name="unit", label=N_("Any unit"), options=choices.units),
            Choice(name="role", label=N_("Any role"), options=ROLES),
        ],
        row="panel/_candidate_row.html",
        columns=[N_("Name"), N_("Unit"), N_("Job title")],
        counted=NN_("%(num)s person", "%(num)s people"),
        bulk=Bulk(buttons=[BulkButton(path=path, label=label)]),
        empty=Empty(N_("Nobody found"), N_("Only active people can be chosen."), "users"),
    )


async def show(tx: Tx, view: PanelView, query: PeopleSearch, table: Table[Person], **options: Any) -> Html:
    """Shows the page of the picker; `options` are those of `lists.show`."""
    return await lists.show(
        tx, view, table, query, reach_of(view), list_query=active_people(query), **options
    )


async def find_chosen(tx: Tx, view: PanelView, form: ChosenPeople) -> list[UUID]:
    """Returns the chosen people within reach. Raises Invalid if they are more than MAX_PEOPLE."""
    if not form.all:
        return [each.id for each in await selection.find_by_ids(tx, form.id, reach_of(view))]
    ids, _ = await list_ids(tx, PEOPLE, active_people(form), reach_of(view), limit=MAX_PEOPLE + 1)
    if len(ids) > MAX_PEOPLE:
        raise invalid("all", "out_of_range")
    return ids
