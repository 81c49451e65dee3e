"""The business units that a checked file names and the company does not have."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Invalid
from trilha.core.web.parsing import convert
from trilha.people.business_units import actions as business_units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.people_import import queries
from trilha.people.people_import.queries import MissingUnit
from trilha.people.people_import.sheet import Sheet
from trilha.people.users.words import search_text

# A column with more of them is hardly one of business units.
MAX_UNITS = 100


async def list_missing(tx: Tx, import_id: UUID) -> list[MissingUnit]:
    """Returns the missing units of a dry run, those of most rows first: MAX_UNITS and one more. Names that
    differ in case or accents alone are one unit.
    """
    units: dict[str, MissingUnit] = {}
    for each in await queries.count_missing_units(tx, import_id, limit=MAX_UNITS + 1):
        first = units.setdefault(search_text(each.name), each)
        if first is not each:
            units[search_text(each.name)] = MissingUnit(first.name, first.rows + each.rows)
    return list(units.values())


async def create(tx: Tx, import_id: UUID, sheet: Sheet, header: str) -> int:
    """Creates at most MAX_UNITS missing units at the top of the chart. Returns how many.

    Their names are those of the file, because the report hides some characters. Names that no unit can have
    stay problems of their rows.
    """
    lines = set(await queries.list_lines(tx, import_id, "unknown_business_unit"))
    place = sheet.headers.index(header)
    cells = (row.cells[place].strip() for row in sheet.rows if row.line in lines and place < len(row.cells))
    known = await _load_unit_names(tx)
    created = 0
    for name in cells:
        if search_text(name) in known or created == MAX_UNITS:
            continue
        known.add(search_text(name))
        created += await _create_unit(tx, name)
    return created


async def _create_unit(tx: Tx, name: str) -> bool:
    try:
        new = convert(NewBusinessUnit, {"name": name}, tx.today)
    except Invalid:
        return False
    await business_units.create(tx, new)
    return True


async def _load_unit_names(tx: Tx) -> set[str]:
    """Returns the names and codes by which rows find units."""
    units = await queries.lock_units(tx)
    names: Sequence[str] = [name for unit in units for name in (str(unit.id), unit.name, unit.code) if name]
    return {search_text(name) for name in names}
