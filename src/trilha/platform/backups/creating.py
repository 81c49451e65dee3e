"""Makes a backup while the installation works.

The rows come from one snapshot of the database. The files are listed after it began. Because a file is stored
before a row names it, and never changes, the list has every file of the snapshot but those that were deleted
meanwhile.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from trilha.core.clock import Clock
from trilha.core.database.master_keys import SELECT_KEYS
from trilha.core.file_store import FileStore, ListedFile
from trilha.core.types import Timestamp
from trilha.platform.backups import queries, rows
from trilha.platform.backups.destination import BackupError, Destination, file_list, table_part
from trilha.platform.backups.schema import BackupResult, Manifest, StoredFile, TableCopy

_FILES_AT_ONCE = 8
_FILES_IN_LIST = 5_000
Report = Callable[[str], None]


class Backup:
    """One run. `master_key` is stored in the backup if it is given."""

    def __init__(
        self,
        url: str,
        files: FileStore,
        destination: Destination,
        clock: Clock,
        report: Report,
        *,
        version: str,
        master_key: str | None = None,
    ) -> None:
        self._url = url
        self._files = files
        self._destination = destination
        self._clock = clock
        self._report = report
        self._version = version
        self._master_key = master_key
        self._copied = 0
        self._vanished = 0
        self._stored_bytes = 0

    async def run(self) -> BackupResult:
        """Raises BackupError."""
        began, started_at = time.monotonic(), self._clock()
        id = started_at.strftime("%Y%m%dT%H%M%S%fZ")
        async with (
            queries.lock(self._url),
            # The snapshot comes first, so that a restored database does not know this unfinished run.
            _snapshot(self._url) as snapshot,
            queries.record_run(self._url, id, self._clock) as run,
        ):
            tables, migrations, sequences, proofs = await self._copy_database(snapshot, id)
            stored = await self._copy_files(id)
            manifest = Manifest(
                id=id,
                started_at=Timestamp.of(started_at),
                finished_at=Timestamp.of(self._clock()),
                version=self._version,
                migrations=migrations,
                proofs=proofs,
                tables=tables,
                sequences=sequences,
                files=len(stored),
                file_bytes=sum(each.size for each in stored),
                file_lists=-(-len(stored) // _FILES_IN_LIST),
                database_bytes=self._database_bytes,
                master_key=self._master_key,
            )
            await self._destination.put_manifest(manifest)
            run.stored_bytes = self._stored_bytes
        return BackupResult(
            id,
            len(tables),
            sum(each.rows for each in tables),
            len(stored),
            self._copied,
            self._vanished,
            self._stored_bytes,
            round(time.monotonic() - began, 1),
        )

    async def _copy_database(
        self, snapshot: Any, id: str
    ) -> tuple[list[TableCopy], list[str], dict[str, int], list[str]]:
        migrations = [
            row["name"] for row in await snapshot.fetch("SELECT name FROM schema_migrations ORDER BY name")
        ]
        proofs = [row["sealed"].hex() for row in await snapshot.fetch(SELECT_KEYS)]
        tenants = None
        if not await rows.sees_every_row(snapshot):
            tenants = [row["id"] for row in await snapshot.fetch("SELECT id FROM tenants ORDER BY id")]
        copies = []
        for number, table in enumerate(await rows.list_tables(snapshot)):

            async def put(part: int, content: bytes, number: int = number) -> None:
                self._stored_bytes += await self._destination.put(table_part(id, number, part), content)

            copy = await rows.copy_table(snapshot, table, tenants, put)
            copies.append(copy)
            if copy.rows:
                self._report(f"table {copy.name}: {copy.rows}")
        self._database_bytes = self._stored_bytes
        return copies, migrations, await queries.load_sequences(snapshot), proofs

    async def _copy_files(self, id: str) -> list[StoredFile]:
        existing = await self._destination.list_names()
        turns = asyncio.Semaphore(_FILES_AT_ONCE)
        stored: list[StoredFile] = []
        async for batch in self._files.list_files():
            found = await asyncio.gather(*(self._copy_file(file, existing, turns) for file in batch))
            stored += [file for file in found if file is not None]
            self._report(f"files: {len(stored)}, of which {self._copied} were copied")
        for number, start in enumerate(range(0, len(stored), _FILES_IN_LIST)):
            piece = stored[start : start + _FILES_IN_LIST]
            self._stored_bytes += await self._destination.put_value(file_list(id, number), piece)
        return stored

    async def _copy_file(
        self, file: ListedFile, existing: set[str], turns: asyncio.Semaphore
    ) -> StoredFile | None:
        """Returns None for a file that was deleted meanwhile."""
        name = self._destination.name_of(file.key, file.version)
        if name not in existing:
            async with turns:
                try:
                    size = await self._destination.put_file(name, self._files.read(file.key))
                except FileNotFoundError:
                    self._vanished += 1
                    return None
            if size != file.size:
                raise BackupError(f"The file {file.key} changed while it was copied; make the backup again.")
            self._copied += 1
            self._stored_bytes += size
        return StoredFile(file.key, name, file.size)


@asynccontextmanager
async def _snapshot(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url, server_settings=rows.SESSION)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            # The first statement fixes the moment of the snapshot, before any file is listed.
            await connection.fetchval("SELECT txid_current_snapshot()")
            yield connection
    finally:
        await connection.close()
