"""/admin/units: lists, shows, creates, edits, moves and deletes units; chooses their managers."""

from collections.abc import Iterable, Sequence
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import Count
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery, PageSize, page_of
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.people.business_units import actions, queries
from trilha.people.business_units.schema import (
    BusinessUnitPatch,
    Code,
    ListedUnit,
    NewBusinessUnit,
    PlacedUnit,
)
from trilha.people.users.words import search_text
from trilha.web.panel import choices, lists, role_holders
from trilha.web.panel.choices import ChoiceSearch
from trilha.web.panel.confirm import Subject
from trilha.web.panel.lists import ACTIONS, Action, Column, Empty, Results, Table
from trilha.web.panel.reach import manager_of
from trilha.web.panel.role_holders import ChosenPerson
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Business units", "The company's organization chart.")
ADDRESS = f"{HOME}/units"
FORM = "panel/business_units/form.html"
READ, WRITE = may(Permission.UNITS_READ), may(Permission.UNITS_WRITE)
SENTENCES = {
    "business_unit_code_exists": N_("Another unit already uses this code. Enter a different one."),
    "business_unit_below_itself": N_("A unit cannot be moved into itself or its subunits. Choose another."),
    "business_unit_not_empty": N_("This unit is not empty. Move its people and subunits first."),
    "business_unit_not_found": N_("The parent unit no longer exists. Choose another."),
    "invalid_uuid": N_("Choose one of the options."),
    "manager_not_gestor": N_("Choose a person with the manager role."),
}


class Search(ListQuery, frozen=True, kw_only=True):
    """`q` is part of a name or a code."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    limit: PageSize = 50


class ParentQuery(Struct, frozen=True, forbid_unknown_fields=True):
    parent: UUID | None = None


class Names(Struct, frozen=True):
    name: Name
    code: Code | None = None


class Place(Struct, frozen=True):
    parent_id: UUID | None = None


async def list_visible_units(tx: Tx, view: PanelView) -> list[PlacedUnit]:
    return await queries.list_tree(tx, manager_of(view))


UNITS_TABLE = Table(
    path=ADDRESS,
    title=N_("Business units"),
    lead=N_(
        "Your company's organization chart. Managers see and enroll the people in their units and subunits."
    ),
    search=N_("Search by name or code"),
    row="panel/business_units/_row.html",
    columns=[N_("Name"), N_("Code"), N_("Managers"), Column(N_("People"), numeric=True), ACTIONS],
    load=queries.with_people,
    counted=NN_("%(num)s unit", "%(num)s units"),
    actions=[Action(N_("Create unit"), f"{ADDRESS}/new", "plus", Permission.UNITS_WRITE, primary=True)],
    empty=Empty(
        N_("No business units yet"),
        N_("Create branches, plants or departments, add people to them and choose their managers."),
        "network",
        permission=Permission.UNITS_WRITE,
        otherwise=Empty(
            N_("You do not manage any units yet"),
            N_("Ask an administrator to make you a manager of your unit."),
            "network",
        ),
    ),
)


@routes.get("/units", access=READ)
async def list_units(tx: Tx, view: PanelView, query: Search) -> Html:
    """Lists the units: administrators see the tree, a search and managers a flat list with each path."""
    units = _search_units(await list_visible_units(tx, view), query.q)
    results = Results(page_of(tx, units, query, route="panel/units"), Count(len(units)))
    is_tree = not query.q and view.viewer.role == "admin"
    return await lists.show(tx, view, UNITS_TABLE, query, results=results, is_tree=is_tree)


def _search_units(units: Sequence[PlacedUnit], typed: str | None) -> list[PlacedUnit]:
    text = search_text((typed or "").strip())
    return [unit for unit in units if text in search_text(f"{unit.name} {unit.code or ''}")]


@routes.get("/units/new", access=WRITE)
async def new_unit(tx: Tx, view: PanelView, query: ParentQuery, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new unit: its name, code and parent."""
    values, parents = {"parent_id": query.parent}, _list_options(await queries.list_tree(tx))
    return view.form(FORM, refusal, values, SENTENCES, unit=None, moves=False, parents=parents)


@routes.post("/units/new", access=WRITE, refused=new_unit)
async def create_unit(tx: Tx, view: PanelView, form: NewBusinessUnit) -> Answer:
    """Creates a unit."""
    unit = await actions.create(tx, form)
    return view.lead(f"{ADDRESS}/{unit.id}", N_("The unit %(name)s was created."), name=unit.name)


# This route comes before /units/{unit_id}, which would match it too.
@routes.get("/units/people", access=WRITE)
async def offer_managers(tx: Tx, view: PanelView, query: ChoiceSearch) -> Html:
    """Options of the person field: people with the manager role who match the typed text."""
    people = await role_holders.list_candidates(tx, queries.MANAGERS, query.q)
    return choices.render_options(view, choices.of_people(people))


@routes.get("/units/{unit_id}", access=READ)
async def show_unit(tx: Tx, view: PanelView, unit_id: UUID) -> Html:
    """Shows one unit with its subunits and managers."""
    units = await list_visible_units(tx, view)
    unit = _get_unit(units, unit_id)
    children = [child for child in units if child.parent_id == unit_id]
    listed, *subunits = await queries.with_people(tx, [unit, *children])
    return view.show(
        "panel/business_units/unit.html",
        unit=listed,
        above=_list_ancestors(units, unit),
        below=subunits,
        managers=await queries.MANAGERS.list(tx, unit_id),
    )


def _get_unit(units: Sequence[PlacedUnit], unit_id: UUID) -> PlacedUnit:
    for unit in units:
        if unit.id == unit_id:
            return unit
    raise NotFound("business_unit_not_found")


def _list_ancestors(units: Sequence[PlacedUnit], unit: PlacedUnit) -> list[PlacedUnit]:
    """The units above this one, from the top."""
    by_id = {other.id: other for other in units}
    chain: list[PlacedUnit] = []
    while unit.parent_id and (parent := by_id.get(unit.parent_id)):
        chain.insert(0, parent)
        unit = parent
    return chain


def _list_options(units: Iterable[PlacedUnit]) -> list[tuple[UUID, str]]:
    """Options of the parent field, each with the full path of the unit."""
    return [(unit.id, " › ".join(unit.path)) for unit in units]


def _list_possible_parents(units: Iterable[PlacedUnit], unit: PlacedUnit) -> list[PlacedUnit]:
    """Every unit except this one and the units below it."""
    within, others = {unit.id}, []
    for other in units:  # a unit comes after its parent
        if other.parent_id in within:
            within.add(other.id)
        elif other.id != unit.id:
            others.append(other)
    return others


@routes.get("/units/{unit_id}/edit", access=WRITE)
async def edit_unit(tx: Tx, view: PanelView, unit_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form to change the name or code."""
    unit = await queries.get(tx, unit_id)
    return view.form(FORM, refusal, unit, SENTENCES, unit=unit, moves=False)


@routes.post("/units/{unit_id}/edit", access=WRITE, refused=edit_unit)
async def update_unit(tx: Tx, view: PanelView, unit_id: UUID, form: Names) -> Answer:
    """Changes the name and code."""
    await actions.update(tx, unit_id, BusinessUnitPatch(name=form.name, code=form.code))
    return view.lead(f"{ADDRESS}/{unit_id}", N_("The changes were saved."))


@routes.get("/units/{unit_id}/move", access=WRITE)
async def ask_place(tx: Tx, view: PanelView, unit_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form to choose another parent."""
    units = await queries.list_tree(tx)
    unit = _get_unit(units, unit_id)
    parents = _list_options(_list_possible_parents(units, unit))
    return view.form(FORM, refusal, unit, SENTENCES, unit=unit, moves=True, parents=parents)


@routes.post("/units/{unit_id}/move", access=WRITE, refused=ask_place)
async def move_unit(tx: Tx, view: PanelView, unit_id: UUID, form: Place) -> Answer:
    """Moves the unit, with its subunits, to another parent."""
    unit = await actions.move(tx, unit_id, form.parent_id)
    return view.lead(f"{ADDRESS}/{unit_id}", N_("The unit %(name)s was moved."), name=unit.name)


@routes.get("/units/{unit_id}/managers", access=WRITE)
async def show_managers(tx: Tx, view: PanelView, unit_id: UUID, refusal: Refusal | None = None) -> Html:
    """Lists the managers of a unit, with a form to add one."""
    unit = await queries.get(tx, unit_id)
    values = await role_holders.load_page_values(tx, queries.MANAGERS, unit_id) | {"unit": unit}
    return view.form("panel/business_units/managers.html", refusal, {}, SENTENCES, **values)


@routes.post("/units/{unit_id}/managers", access=WRITE, refused=show_managers)
async def add_manager(tx: Tx, view: PanelView, unit_id: UUID, form: ChosenPerson) -> Answer:
    """Adds a manager to the unit."""
    managers = await role_holders.add_holder(tx, queries.MANAGERS, unit_id, form.user_id)
    await actions.set_managers(tx, unit_id, managers)
    return view.lead(f"{ADDRESS}/{unit_id}/managers", N_("The manager was added."))


@routes.post("/units/{unit_id}/managers/remove", access=WRITE)
async def remove_manager(tx: Tx, view: PanelView, unit_id: UUID, form: ChosenPerson) -> Answer:
    """Removes a manager from the unit."""
    managers = await role_holders.remove_holder(tx, queries.MANAGERS, unit_id, form.user_id)
    await actions.set_managers(tx, unit_id, managers)
    return view.lead(f"{ADDRESS}/{unit_id}/managers", N_("The manager was removed."))


async def _get_with_people(tx: Tx, view: PanelView, unit_id: UUID) -> ListedUnit:
    (unit,) = await queries.with_people(tx, [_get_unit(await queries.list_tree(tx), unit_id)])
    return unit


async def _count_subunits(tx: Tx, view: PanelView, unit: ListedUnit) -> dict[str, object]:
    below = sum(other.parent_id == unit.id for other in await queries.list_tree(tx))
    return {"unit": unit, "below": below}


UNITS = Subject(routes=routes, path="/units/{unit_id}", access=WRITE, get=_get_with_people)
UNITS.ask(
    "delete",
    actions.delete,
    N_("Delete %(name)s"),
    N_("The unit is empty. Its managers keep their role and their other units. This cannot be undone."),
    N_("Delete unit"),
    N_("The unit %(name)s was deleted."),
    gone=True,
    values=_count_subunits,
    template="panel/business_units/delete.html",
    sentences=SENTENCES,
)
