"""The audit record as a file."""

import codecs
from collections.abc import AsyncIterator

from trilha.audit import names
from trilha.audit.lists import RECORDS
from trilha.audit.schema import AuditQuery
from trilha.core.database import Reading
from trilha.core.lists import read_pages
from trilha.core.spreadsheets import csv_lines
from trilha.core.types import to_json

COLUMNS = (
    *("created_at", "action", "target_id", "target_name", "actor_kind", "actor", "actor_name"),
    *("source", "detail"),
)


async def stream(reading: Reading, query: AuditQuery, separator: str = ",") -> AsyncIterator[bytes]:
    """RFC 4180 in UTF-8, marked so for Excel, newest first; a line of names, then all that `query` finds."""
    yield codecs.BOM_UTF8 + csv_lines([COLUMNS], separator).encode()
    async for records in read_pages(reading, RECORDS, query, load=names.add):
        rows = [[_text(getattr(each, name)) for name in COLUMNS] for each in records]
        if rows:
            yield csv_lines(rows, separator).encode()


def _text(value: object) -> str:
    if isinstance(value, dict):
        return to_json(value).decode() if value else ""
    return "" if value is None else str(value)
