"""The report of an import as CSV: a line for each problem."""

from collections.abc import AsyncIterator
from uuid import UUID

from trilha.core.database import Tx
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
    while rows := await queries.list_problems(tx, import_id, last, _PAGE):
        if len(rows) == _PAGE and rows[0].line < rows[-1].line:
            # The last line may go on in the next page.
            rows = [row for row in rows if row.line < rows[-1].line]
        yield csv_lines([[getattr(row, name) for name in HEADER] for row in rows])
        last = rows[-1].line
