"""The audit log as a CSV file."""

import codecs
from collections.abc import AsyncIterator

from trilha.core.database import Reading
from trilha.core.lists import read_pages
from trilha.core.spreadsheets import csv_lines
from trilha.core.types import to_json
from trilha.platform.audit import names
from trilha.platform.audit.lists import RECORDS
from trilha.platform.audit.schema import AuditQuery

COLUMNS = (
    *("created_at", "action", "target_id", "target_name", "actor_kind", "actor", "actor_name"),
    *("source", "detail"),
)


async def stream(reading: Reading, query: AuditQuery, separator: str = ",") -> AsyncIterator[bytes]:
    """Yields the records that match `query` as CSV (RFC 4180, UTF-8 with a byte order mark for Excel),
    newest first, after a header row.
    """
    yield codecs.BOM_UTF8 + csv_lines([COLUMNS], separator).encode()
    async for records in read_pages(reading, RECORDS, query, load=names.add):
        rows = [[_text(getattr(each, name)) for name in COLUMNS] for each in records]
        if rows:
            yield csv_lines(rows, separator).encode()


def _text(value: object) -> str:
    if isinstance(value, dict):
        return to_json(value).decode() if value else ""
    return "" if value is None else str(value)
