"""Makes one export file in a folder: rows by COPY into CSV, converted to other formats by a process."""

import asyncio
import hashlib
import signal
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from trilha.core.database import Database
from trilha.training.reports.exports import matrix_rows, rows
from trilha.training.reports.exports.matrix_rows import MatrixFilter
from trilha.training.reports.exports.rows import ExportFilter, Source

_COMMAND = (sys.executable, "-I", "-m", "trilha.training.reports.exports.writing")
# A longer snapshot would keep vacuum from its work.
_SECONDS = 900.0
# The share of the progress that reading takes, if the file is converted afterward.
_READING = 15


class ProcessDied(Exception):
    """The process ended unexpectedly. The message says how."""


class Making:
    """The state of an export in progress. `rows` and `progress` (in percent) grow."""

    def __init__(self, folder: Path, type: str) -> None:
        self._folder = folder
        self._type = type
        self._source: Source | None = None
        self.rows = 0
        self.progress = 0

    async def make(
        self, database: Database, tenant_id: UUID, export_filter: ExportFilter | MatrixFilter
    ) -> Path:
        """Makes the file. Raises Died."""
        source = self._folder / "rows.csv"
        await self._read(database, tenant_id, export_filter, source)
        if self._type == "csv":
            return source
        self.progress = _READING
        target = self._folder / f"file.{self._type}"
        await self._write(source, target)
        return target

    async def _read(
        self, database: Database, tenant_id: UUID, export_filter: ExportFilter | MatrixFilter, target: Path
    ) -> None:
        # Other formats store texts as text, so a spreadsheet does not run them.
        cells: rows.Cells = "guarded" if self._type == "csv" else "plain"
        share = 95 if self._type == "csv" else _READING
        async with database.snapshot(tenant_id) as snapshot:
            if isinstance(export_filter, MatrixFilter):
                source = await matrix_rows.build_source(snapshot, export_filter, cells)
            else:
                source = await rows.build_source(snapshot, export_filter, cells)
            self._source = source
            with target.open("wb") as file:
                file.write(source.header)

                async def take(piece: bytes) -> None:
                    self.rows += rows.count_in(piece)
                    self.progress = min(share, share * self.rows // max(source.count, 1))
                    await asyncio.to_thread(file.write, rows.with_crlf(piece))

                await snapshot.copy(source.sql, take, seconds=_SECONDS, **source.params)

    async def _write(self, source: Path, target: Path) -> None:
        assert self._source is not None
        process: Any = await asyncio.create_subprocess_exec(
            *_COMMAND,
            self._type,
            source,
            target,
            str(self._source.texts),
            str(self._source.numbers),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=self._folder,
            env={},
            # The interrupt of a terminal is for the parent process, which then stops this one.
            start_new_session=True,
        )
        try:
            async for line in process.stdout:
                self.progress = _READING + (95 - _READING) * int(line) // max(self.rows, 1)
            code = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if code:
            raise ProcessDied(signal.strsignal(-code) if code < 0 else f"exit code {code}")


def digest(file: Path) -> bytes:
    """Returns the SHA-256 of the file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()
