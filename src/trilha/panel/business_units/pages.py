"""/admin/units"""

from collections.abc import Iterable, Sequence
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.business_units import actions, queries
from trilha.business_units.schema import BusinessUnitPatch, Code, ListedUnit, NewBusinessUnit, PlacedUnit
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import Count
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery, PageSize, page_of
from trilha.core.web.routes import Refusal, Routes
from trilha.pages import N_, NN_
from trilha.panel import choices, lists, role_holders
from trilha.panel.choices import Typed
from trilha.panel.confirm import Subject
from trilha.panel.lists import Action, Column, Empty, Results, Table
from trilha.panel.reach import managed_by
from trilha.panel.role_holders import ChosenPerson
from trilha.panel.view import HOME, PanelView
from trilha.sessions.permissions import Permission, may
from trilha.users.words import search_text

routes = Routes("Business units", "The parts of the company, as a tree.")
ADDRESS = f"{HOME}/units"
FORM = "panel/business_units/form.html"
READ, WRITE = may(Permission.UNITS_READ), may(Permission.UNITS_WRITE)
SENTENCES = {
    "business_unit_code_exists": N_("Another unit has this code."),
    "business_unit_below_itself": N_("Choose a unit that is not below this one."),
    "business_unit_not_empty": N_("Move or remove what is in this unit first."),
    "business_unit_not_found": N_("The unit above was removed. Choose another."),
    "invalid_uuid": N_("Choose one of the options."),
    "manager_not_gestor": N_("Choose somebody with the role manager."),
}


class Search(ListQuery, frozen=True, kw_only=True):
    """`q` is a part of a name or a code."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    limit: PageSize = 50


class Beginning(Struct, frozen=True, forbid_unknown_fields=True):
    parent: UUID | None = None


class Names(Struct, frozen=True):
    name: Name
    code: Code | None = None


class Place(Struct, frozen=True):
    parent_id: UUID | None = None


async def reached(tx: Tx, view: PanelView) -> list[PlacedUnit]:
    return await queries.list_tree(tx, managed_by(view))


UNITS_TABLE = Table(
    path=ADDRESS,
    title=N_("Business units"),
    lead=N_("The parts of your company. Managers of a unit see and enroll its people and those below it."),
    search=N_("Search by name or code"),
    row="panel/business_units/_row.html",
    columns=[
        N_("Name"),
        N_("Code"),
        N_("Managers"),
        Column(N_("People"), numeric=True),
        Column(N_("Actions"), quiet=True),
    ],
    load=queries.with_people,
    counted=NN_("%(num)s unit", "%(num)s units"),
    actions=[Action(N_("Create unit"), f"{ADDRESS}/new", "plus", Permission.UNITS_WRITE, primary=True)],
    empty=Empty(
        N_("No business unit yet"),
        N_("Create branches, plants or departments, put people in them and choose who manages each."),
        "network",
        permission=Permission.UNITS_WRITE,
        otherwise=Empty(
            N_("You manage no unit yet"),
            N_("Ask an administrator to make you the manager of your unit."),
            "network",
        ),
    ),
)


@routes.get("/units", access=READ)
async def list_units(tx: Tx, view: PanelView, query: Search) -> Html:
    """The tree; what is searched is shown with its place in it."""
    units = _found(await reached(tx, view), query.q)
    results = Results(page_of(tx, units, query, route="panel/units"), Count(len(units)))
    is_tree = not query.q and view.viewer.role == "admin"
    return await lists.show(tx, view, UNITS_TABLE, query, results=results, is_tree=is_tree)


def _found(units: Sequence[PlacedUnit], typed: str | None) -> list[PlacedUnit]:
    wanted = search_text((typed or "").strip())
    return [unit for unit in units if wanted in search_text(f"{unit.name} {unit.code or ''}")]


@routes.get("/units/new", access=WRITE)
async def new_unit(tx: Tx, view: PanelView, query: Beginning, refusal: Refusal | None = None) -> Html:
    """Ask for the name, the code and the place."""
    begins, parents = {"parent_id": query.parent}, _places(await queries.list_tree(tx))
    return view.form(FORM, refusal, begins, SENTENCES, unit=None, moves=False, parents=parents)


@routes.post("/units/new", access=WRITE, refused=new_unit)
async def create_unit(tx: Tx, view: PanelView, form: NewBusinessUnit) -> Answer:
    """Add a unit."""
    unit = await actions.create(tx, form)
    return view.lead(f"{ADDRESS}/{unit.id}", N_("The unit %(name)s was created."), name=unit.name)


# A page of its own, so that no unit can be called so.
@routes.get("/units/people", access=WRITE)
async def offer_managers(tx: Tx, view: PanelView, query: Typed) -> Html:
    """The people who can manage a unit, for what is typed."""
    people = await role_holders.offered(tx, queries.MANAGERS, query.q)
    return choices.offered(view, choices.of_people(people))


@routes.get("/units/{unit_id}", access=READ)
async def show_unit(tx: Tx, view: PanelView, unit_id: UUID) -> Html:
    """One unit: what is in it, and who manages it."""
    units = await reached(tx, view)
    unit = _of(units, unit_id)
    below = [each for each in units if each.parent_id == unit_id]
    shown, *listed = await queries.with_people(tx, [unit, *below])
    return view.show(
        "panel/business_units/unit.html",
        unit=shown,
        above=_above(units, unit),
        below=listed,
        managers=await queries.MANAGERS.list(tx, unit_id),
    )


def _of(units: Sequence[PlacedUnit], unit_id: UUID) -> PlacedUnit:
    for unit in units:
        if unit.id == unit_id:
            return unit
    raise NotFound("business_unit_not_found")


def _above(units: Sequence[PlacedUnit], unit: PlacedUnit) -> list[PlacedUnit]:
    """The units that it is in, from the top."""
    by_id = {each.id: each for each in units}
    chain: list[PlacedUnit] = []
    while unit.parent_id and (parent := by_id.get(unit.parent_id)):
        chain.insert(0, parent)
        unit = parent
    return chain


def _places(units: Iterable[PlacedUnit]) -> list[tuple[UUID, str]]:
    """The options of a field: each unit with those above it."""
    return [(unit.id, " › ".join(unit.path)) for unit in units]


def _outside(units: Iterable[PlacedUnit], unit: PlacedUnit) -> list[PlacedUnit]:
    """All but the unit and what is below it."""
    within, others = {unit.id}, []
    for each in units:  # the tree has a unit after its parent
        if each.parent_id in within:
            within.add(each.id)
        elif each.id != unit.id:
            others.append(each)
    return others


@routes.get("/units/{unit_id}/edit", access=WRITE)
async def edit_unit(tx: Tx, view: PanelView, unit_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for another name or code."""
    unit = await queries.get(tx, unit_id)
    return view.form(FORM, refusal, unit, SENTENCES, unit=unit, moves=False)


@routes.post("/units/{unit_id}/edit", access=WRITE, refused=edit_unit)
async def update_unit(tx: Tx, view: PanelView, unit_id: UUID, form: Names) -> Answer:
    """Rename it, or give it another code."""
    await actions.update(tx, unit_id, BusinessUnitPatch(name=form.name, code=form.code))
    return view.lead(f"{ADDRESS}/{unit_id}", N_("The changes were saved."))


@routes.get("/units/{unit_id}/move", access=WRITE)
async def ask_place(tx: Tx, view: PanelView, unit_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask where it goes."""
    units = await queries.list_tree(tx)
    unit = _of(units, unit_id)
    parents = _places(_outside(units, unit))
    return view.form(FORM, refusal, unit, SENTENCES, unit=unit, moves=True, parents=parents)


@routes.post("/units/{unit_id}/move", access=WRITE, refused=ask_place)
async def move_unit(tx: Tx, view: PanelView, unit_id: UUID, form: Place) -> Answer:
    """Put it, and all below it, elsewhere."""
    unit = await actions.move(tx, unit_id, form.parent_id)
    return view.lead(f"{ADDRESS}/{unit_id}", N_("The unit %(name)s was moved."), name=unit.name)


@routes.get("/units/{unit_id}/managers", access=WRITE)
async def show_managers(tx: Tx, view: PanelView, unit_id: UUID, refusal: Refusal | None = None) -> Html:
    """Who manages it."""
    unit = await queries.get(tx, unit_id)
    values = await role_holders.shown(tx, queries.MANAGERS, unit_id) | {"unit": unit}
    return view.form("panel/business_units/managers.html", refusal, {}, SENTENCES, **values)


@routes.post("/units/{unit_id}/managers", access=WRITE, refused=show_managers)
async def add_manager(tx: Tx, view: PanelView, unit_id: UUID, form: ChosenPerson) -> Answer:
    """Let somebody manage it."""
    managers = await role_holders.with_one_more(tx, queries.MANAGERS, unit_id, form.user_id)
    await actions.set_managers(tx, unit_id, managers)
    return view.lead(f"{ADDRESS}/{unit_id}/managers", N_("The manager was added."))


@routes.post("/units/{unit_id}/managers/remove", access=WRITE)
async def remove_manager(tx: Tx, view: PanelView, unit_id: UUID, form: ChosenPerson) -> Answer:
    """Let somebody manage it no longer."""
    managers = await role_holders.without(tx, queries.MANAGERS, unit_id, form.user_id)
    await actions.set_managers(tx, unit_id, managers)
    return view.lead(f"{ADDRESS}/{unit_id}/managers", N_("The manager was removed."))


async def _get_with_people(tx: Tx, view: PanelView, unit_id: UUID) -> ListedUnit:
    (unit,) = await queries.with_people(tx, [_of(await queries.list_tree(tx), unit_id)])
    return unit


async def _what_is_in_it(tx: Tx, view: PanelView, unit: ListedUnit) -> dict[str, object]:
    below = sum(each.parent_id == unit.id for each in await queries.list_tree(tx))
    return {"unit": unit, "below": below}


UNITS = Subject(routes=routes, path="/units/{unit_id}", access=WRITE, get=_get_with_people)
UNITS.ask(
    "delete",
    actions.delete,
    N_("Delete %(name)s"),
    N_("The unit is empty. Its managers lose nothing but this unit. This cannot be undone."),
    N_("Delete unit"),
    N_("The unit %(name)s was deleted."),
    gone=True,
    values=_what_is_in_it,
    template="panel/business_units/delete.html",
    sentences=SENTENCES,
)
