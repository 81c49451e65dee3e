"""The report of an import as CSV, with one line per problem."""

import codecs
from collections.abc import AsyncIterator, Callable, Sequence
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Reading, Tx
from trilha.core.spreadsheets import csv_lines
from trilha.people.people_import import queries
from trilha.people.people_import.schema import RowProblem

HEADER = RowProblem.__struct_fields__[:1] + RowProblem.__struct_fields__[2:]
_PAGE = 1000


async def report(tx: Tx, import_id: UUID) -> AsyncIterator[str]:
    """Yields the lines in pieces. Raises NotFound."""
    await queries.get(tx, import_id)
    yield csv_lines([HEADER])
    last = 0
    while rows := await list_whole_lines(tx, import_id, last, _PAGE):
        yield _lines(rows)
        last = rows[-1].line


class Wording(Struct, frozen=True):
    """Header, messages and separator in the reader's language. Excel splits columns only at its locale's
    separator.
    """

    header: Sequence[str]
    message: Callable[[RowProblem], str]
    separator: str


async def stream(reading: Reading, import_id: UUID, wording: Wording) -> AsyncIterator[bytes]:
    """Like `report`, in the reader's language and with a byte order mark for Excel. No transaction is open
    while the client reads.
    """
    yield codecs.BOM_UTF8 + csv_lines([wording.header], wording.separator).encode()
    last, has_rows = 0, True
    while has_rows:
        async with reading() as tx:
            rows = await list_whole_lines(tx, import_id, last, _PAGE)
        has_rows = bool(rows)
        if rows:
            translated = [structs.replace(row, message=wording.message(row)) for row in rows]
            yield _lines(translated, wording.separator).encode()
            last = rows[-1].line


async def list_whole_lines(tx: Tx, import_id: UUID, after_line: int, limit: int) -> list[RowProblem]:
    """Returns problems after this line, only of complete lines, unless one line alone has `limit`
    problems.
    """
    rows = await queries.list_problems(tx, import_id, after_line, limit)
    if len(rows) == limit and rows[0].line < rows[-1].line:
        rows = [row for row in rows if row.line < rows[-1].line]
    return rows


def _lines(rows: Sequence[RowProblem], separator: str = ",") -> str:
    return csv_lines([[getattr(row, name) for name in HEADER] for row in rows], separator)
