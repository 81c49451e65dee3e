"""The report of an import as CSV: a line for each problem."""

import codecs
from collections.abc import AsyncIterator, Callable, Sequence
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Reading, Tx
from trilha.core.spreadsheets import csv_lines
from trilha.people_import import queries
from trilha.people_import.schema import RowProblem

HEADER = RowProblem.__struct_fields__[:1] + RowProblem.__struct_fields__[2:]
_PAGE = 1000


async def report(tx: Tx, import_id: UUID) -> AsyncIterator[str]:
    """Its lines, some at a time. Raises NotFound."""
    await queries.get(tx, import_id)
    yield csv_lines([HEADER])
    last = 0
    while rows := await list_whole_lines(tx, import_id, last, _PAGE):
        yield _lines(rows)
        last = rows[-1].line


class Wording(Struct, frozen=True):
    """How a report is written for its reader. Excel takes it for a table by its country's separator."""

    header: Sequence[str]
    message: Callable[[RowProblem], str]
    separator: str


async def stream(reading: Reading, import_id: UUID, wording: Wording) -> AsyncIterator[bytes]:
    """As `report`, in somebody's words, marked as UTF-8 for Excel. No transaction is held while they read."""
    yield codecs.BOM_UTF8 + csv_lines([wording.header], wording.separator).encode()
    last, more = 0, True
    while more:
        async with reading() as tx:
            rows = await list_whole_lines(tx, import_id, last, _PAGE)
        more = bool(rows)
        if rows:
            told = [structs.replace(row, message=wording.message(row)) for row in rows]
            yield _lines(told, wording.separator).encode()
            last = rows[-1].line


async def list_whole_lines(tx: Tx, import_id: UUID, after_line: int, most: int) -> list[RowProblem]:
    """Problems of the lines after this one; of no line only some, unless it alone has more than `most`."""
    rows = await queries.list_problems(tx, import_id, after_line, most)
    if len(rows) == most and rows[0].line < rows[-1].line:
        rows = [row for row in rows if row.line < rows[-1].line]
    return rows


def _lines(rows: Sequence[RowProblem], separator: str = ",") -> str:
    return csv_lines([[getattr(row, name) for name in HEADER] for row in rows], separator)
