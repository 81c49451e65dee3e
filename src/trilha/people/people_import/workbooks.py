"""Reads Excel and OpenDocument files in sandboxed processes, which limit the work that a file asks for.

A workbook becomes CSV when it is uploaded, and is stored and imported like any other CSV file.
"""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import msgspec
from msgspec import Struct, structs

from trilha.core.errors import invalid
from trilha.core.sandbox.limits import MIB, Limits
from trilha.core.sandbox.pool import ProcessDied, Workers
from trilha.people.people_import.sheet import MAX_BYTES, WORKBOOK, Dialect

# 100,000 people with 15 columns take 4 s.
_LIMITS = Limits(memory=1024 * MIB, seconds=15)
_PROCESSES = 2
# The container of old XLS files, and of encrypted workbooks. All other workbooks are ZIP files.
OLD_FORMAT = b"\xd0\xcf\x11\xe0"
_BEGINNINGS = (b"PK\x03\x04", OLD_FORMAT)


class WorkbookReadResult(Struct, frozen=True):
    """The CSV file and its columns with numbers, counted from 0; or the code of the refusal."""

    csv: bytes = b""
    number_columns: Sequence[int] = ()
    refused: str | None = None


def is_workbook(raw: bytes) -> bool:
    return raw.startswith(_BEGINNINGS)


class WorkbookReader:
    def __init__(self, scratch: Path) -> None:
        self._workers = Workers(
            "trilha.people.people_import.workbook_conversion",
            scratch,
            size=_PROCESSES,
            limits=_LIMITS,
            per_tenant=1,
        )

    async def read(self, tenant_id: UUID, raw: bytes) -> tuple[bytes, Dialect | None]:
        """Returns a workbook's first sheet as CSV, and its dialect. Other files are returned as they are.

        Raises Invalid (file_too_large, file_encrypted, file_not_a_table).
        """
        if not is_workbook(raw):
            return raw, None
        if len(raw) > MAX_BYTES:
            raise invalid("file", "file_too_large")
        try:
            answer = await self._workers.ask(raw, tenant_id=tenant_id)
        except ProcessDied:
            raise invalid("file", "file_too_large") from None
        result = msgspec.msgpack.decode(answer, type=WorkbookReadResult)
        if result.refused:
            raise invalid("file", result.refused)
        return result.csv, structs.replace(WORKBOOK, number_columns=list(result.number_columns))

    async def close(self) -> None:
        await self._workers.close()
