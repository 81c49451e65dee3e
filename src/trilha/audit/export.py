"""The audit record as a file."""

import codecs
from collections.abc import AsyncIterator

from msgspec import structs

from trilha.audit import queries
from trilha.audit.schema import AuditQuery
from trilha.core.database import Reading
from trilha.core.spreadsheets import csv_lines
from trilha.core.types import to_json

COLUMNS = (
    *("created_at", "action", "target_id", "target_name", "actor_kind", "actor", "actor_name"),
    *("source", "detail"),
)
_PAGE = 100


async def stream(reading: Reading, query: AuditQuery, separator: str = ",") -> AsyncIterator[bytes]:
    """RFC 4180 in UTF-8, marked so for Excel, newest first; a line of names, then all that `query` finds.

    A page at a time, each in a transaction of its own: none is held while the client reads.
    """
    yield codecs.BOM_UTF8 + csv_lines([COLUMNS], separator).encode()
    query = structs.replace(query, limit=_PAGE, cursor=None, fields=None)
    more = True
    while more:
        async with reading() as tx:
            page = await queries.list_page(tx, query)
        rows = [[_text(getattr(each, name)) for name in COLUMNS] for each in page.data]
        if rows:
            yield csv_lines(rows, separator).encode()
        more, query = page.has_more, structs.replace(query, cursor=page.next_cursor)


def _text(value: object) -> str:
    if isinstance(value, dict):
        return to_json(value).decode() if value else ""
    return "" if value is None else str(value)
