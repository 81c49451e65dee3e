"""Streams enrollments as CSV from PostgreSQL's COPY to the client.

Rows pass through a temporary file, so that a slow client holds neither a connection nor a snapshot, and
memory stays small. The query is cancelled if the client disconnects.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import UUID

from trilha.core.database import Database
from trilha.core.turns import Turns
from trilha.training.reports.exports import rows
from trilha.training.reports.exports.rows import ExportFilter
from trilha.training.reports.exports.spool import Spool

# Two per process and one per tenant; the others wait. One keeps a processor busy, so more would not be
# faster.
_AT_ONCE, _OF_TENANT = 2, 1
_SECONDS = 60.0


class CsvFile:
    """One CSV download. `truncated` is known before the first byte. It must be read once or closed."""

    def __init__(
        self, database: Database, turns: Turns, tenant_id: UUID, export_filter: ExportFilter
    ) -> None:
        self._database = database
        self._turns = turns
        self._tenant_id = tenant_id
        self._wanted = export_filter
        self._truncated = asyncio.get_running_loop().create_future()
        self._spool = Spool()
        self._writing = asyncio.create_task(self._write())

    async def is_truncated(self) -> bool:
        """Waits for the tenant's turn and for the database."""
        try:
            found: bool = await asyncio.shield(self._truncated)
        except BaseException:
            await self.aclose()
            raise
        return found

    async def _write(self) -> None:
        try:
            async with self._turns.turn(self._tenant_id):
                await self._read()
        except BaseException as error:
            if not self._truncated.done():
                self._truncated.set_exception(error)
            self._spool.end(error)
            if not isinstance(error, Exception):
                raise
        else:
            self._spool.end()

    async def _read(self) -> None:
        async with self._database.snapshot(self._tenant_id) as snapshot:
            self._truncated.set_result(await rows.is_over_limit(snapshot, self._wanted, rows.MAX_ROWS))
            await self._spool.write(rows.HEADER)
            sql, params = rows.select(self._wanted, "guarded", rows.MAX_ROWS)
            await snapshot.copy(sql, self._take, seconds=_SECONDS, **params)

    async def _take(self, piece: bytes) -> None:
        await self._spool.write(rows.with_crlf(piece))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._spool.pieces():
            yield piece

    async def aclose(self) -> None:
        """Cancels the query if it is running."""
        self._writing.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._writing
        self._spool.close()


class CsvFiles:
    """Starts downloads, a few at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._turns = Turns(_AT_ONCE, _OF_TENANT)

    def begin(self, tenant_id: UUID, export_filter: ExportFilter) -> CsvFile:
        return CsvFile(self._database, self._turns, tenant_id, export_filter)
