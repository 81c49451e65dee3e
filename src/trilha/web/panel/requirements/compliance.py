"""/admin/requirements/matrix and /admin/requirements/units: where people and units stand with each
requirement, today or on an earlier day.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.moments import Day as ChosenDay
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_, formats
from trilha.people.business_units import queries as units
from trilha.people.business_units.schema import PlacedUnit
from trilha.training.requirements import matrix, queries, totals
from trilha.training.requirements.matrix import Cell, MatrixPerson, MatrixQuery
from trilha.training.requirements.schema import Requirement
from trilha.training.requirements.totals import NOBODY, Totals
from trilha.web.panel import choices, lists
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.choices import Choices
from trilha.web.panel.lists import Bulk, Choice, Column, Day, Empty, Table
from trilha.web.panel.reach import manager_of, reach_of
from trilha.web.panel.requirements import bulk, words
from trilha.web.panel.requirements.pages import ADDRESS, MATRIX, READ, UNITS, build_tabs
from trilha.web.panel.view import PanelView

_MAX_UNITS = 100
routes = Routes("Compliance with requirements", "Where people and units stand with each requirement.")
BULK = BulkList(
    routes=routes,
    path="/requirements/matrix",
    title=N_("People and their mandatory training"),
    query=MatrixQuery,
    targets=bulk.REMIND_OF_ALL.targets,
    actions=[bulk.REMIND_OF_ALL],
)
BULK.add_pages()
_ON = Day(name="as_of", label=N_("As of"), chip=N_("As of %(day)s"))


class MatrixRow(Struct, frozen=True):
    """A person, and the cells in the order of the columns; None: the requirement does not apply."""

    person: MatrixPerson
    cells: list[Cell | None]


async def _offer_requirements(tx: Tx, view: PanelView, chosen: object) -> Choices:
    return Choices([(str(each.id), each.title) for each in await queries.list_all(tx)])


async def _offer_job_titles(tx: Tx, view: PanelView, chosen: object) -> Choices:
    if not reach_of(view).is_everyone:  # managers type a name or choose a unit
        return Choices()
    titles = await matrix.list_job_titles(tx, choices.MAX_OPTIONS)
    return Choices([(each, each) for each in titles])


async def list_columns(tx: Tx, requirement_id: UUID | None = None) -> list[Requirement]:
    """Returns the requirements that are columns: this one, or the first active ones."""
    requirements = await queries.list_all(tx)
    if requirement_id is not None:
        return [each for each in requirements if each.id == requirement_id]
    return [each for each in requirements if each.active][: matrix.MAX_COLUMNS]


def find_moment(view: PanelView, day: ChosenDay | None) -> datetime | None:
    """Returns the end of a day in the company's time zone."""
    return day.end(view.page.time_zone).moment() if day else None


def _build_table(columns: Sequence[Requirement], at: datetime | None) -> Table[MatrixPerson]:
    async def load(tx: Tx, rows: Sequence[MatrixPerson]) -> list[MatrixRow]:
        ids = [each.id for each in columns]
        cells = await matrix.load_cells(tx, [row.id for row in rows], ids, at)
        return [MatrixRow(row, [cells.get(row.id, {}).get(id) for id in ids]) for row in rows]

    return Table(
        listing=matrix.PEOPLE,
        load=load,
        path=MATRIX,
        title=N_("People and their mandatory training"),
        search=N_("Search by name, e-mail, CPF or employee number"),
        choices=[
            Choice(name="state", label=N_("Any status"), options=words.STATES),
            Choice(name="requirement", label=N_("All requirements"), options=_offer_requirements),
            Choice(name="unit", label=N_("All business units"), options=choices.units, more=True),
            Choice(name="job_title", label=N_("All job titles"), options=_offer_job_titles, more=True),
        ],
        days=[_ON],
        row="panel/requirements/_matrix_row.html",
        values={"states": words.STATES, "badges": words.BADGES, "requirements": columns, "drawn": {}},
        columns=[N_("Person"), *(Column(each.title) for each in columns)],
        counted=NN_("%(num)s person", "%(num)s people"),
        bulk=None if at else Bulk(buttons=BULK.buttons()),
        empty=Empty(
            N_("No mandatory training yet"),
            N_("People appear here within a minute after a requirement applies to them."),
            "users",
        ),
    )


@routes.get("/requirements/matrix", access=READ)
async def show_matrix(tx: Tx, view: PanelView, query: MatrixQuery) -> Html:
    """Shows people against requirements."""
    columns = await list_columns(tx, query.requirement)
    at = find_moment(view, query.as_of)
    counts = await totals.count(tx, [each.id for each in columns], reach_of(view))
    return await lists.show(
        tx,
        view,
        _build_table(columns, at),
        query,
        reach_of(view),
        template="panel/requirements/matrix.html",
        tabs=build_tabs(view, MATRIX),
        totals=totals.sum_up(counts.values()),
        address=MATRIX,
        files=lists.address(f"{ADDRESS}/files", query, cursor=None),
    )


class UnitsQuery(Struct, frozen=True, kw_only=True):
    """`unit` is the unit whose lower units are shown; without it, those at the top."""

    unit: UUID | None = None
    as_of: ChosenDay | None = None


class UnitRow(Struct, frozen=True):
    """A unit with those below it: the totals of each requirement, and of all."""

    unit: PlacedUnit
    has_below: bool
    cells: list[Totals]
    overall: Totals


@routes.get("/requirements/units", access=READ)
async def show_units(tx: Tx, view: PanelView, query: UnitsQuery) -> Html:
    """Shows the share of people who are in order, by unit and requirement, one level of units at a time."""
    columns = await list_columns(tx)
    tree = await units.list_tree(tx, manager_of(view))
    by_id = {each.id: each for each in tree}
    if query.unit is not None and query.unit not in by_id:
        raise NotFound("business_unit_not_found")
    level = [each for each in tree if _find_parent(each, by_id) == query.unit][:_MAX_UNITS]
    counts = await totals.count_below(
        tx, [each.id for each in level], [each.id for each in columns], find_moment(view, query.as_of)
    )
    parents = {each.parent_id for each in tree}
    rows = []
    for unit in level:
        cells = [counts.get((unit.id, each.id), NOBODY) for each in columns]
        rows.append(UnitRow(unit, unit.id in parents, cells, totals.sum_up(cells)))
    return view.show(
        "panel/requirements/units.html",
        requirements=columns,
        rows=rows,
        above=_list_above(by_id, query.unit),
        tabs=build_tabs(view, UNITS),
        matrix=MATRIX,
        address=UNITS,
        query=query,
        day=formats.day_text(view.page, date.fromisoformat(query.as_of)) if query.as_of else "",
        files=lists.address(f"{ADDRESS}/files", query),
    )


def _find_parent(unit: PlacedUnit, by_id: Mapping[UUID, PlacedUnit]) -> UUID | None:
    """Returns the unit above, or None if the viewer does not see it."""
    return unit.parent_id if unit.parent_id in by_id else None


def _list_above(by_id: Mapping[UUID, PlacedUnit], unit_id: UUID | None) -> list[PlacedUnit]:
    """Returns the units from the top down to this one."""
    above: list[PlacedUnit] = []
    while unit_id is not None and unit_id in by_id:
        above.insert(0, by_id[unit_id])
        unit_id = by_id[unit_id].parent_id
    return above
