"""The worker's jobs for exports: making files, and removing expired ones.

A file is stored before the row refers to it. A worker that dies in between loses its lease, and another
worker makes the export anew.
"""

import asyncio
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import msgspec

from trilha.core import logs
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.file_store import FileStore
from trilha.core.files import make_folder
from trilha.core.jobs import Job, SideBySide, oldest
from trilha.core.resealing.files import SealedKind
from trilha.core.sealed_files import SealedFiles
from trilha.training.classes.attendance_lists.paper.printing import AttendancePapers
from trilha.training.reports.exports import files, queries
from trilha.training.reports.exports.bundle import BundleMaking
from trilha.training.reports.exports.bundle_rows import BundleFilter
from trilha.training.reports.exports.making import Making, digest
from trilha.training.reports.exports.matrix_rows import MatrixFilter
from trilha.training.reports.exports.rows import ExportFilter
from trilha.training.reports.exports.schema import RunningExport

LEASE = timedelta(seconds=30)
RETENTION = timedelta(days=1)
SEALED_EXPORTS = SealedKind(
    name="exports",
    select="""
        SELECT id, file_key FROM exports
        WHERE tenant_id = :tenant AND id > :after AND file_key IS NOT NULL
        ORDER BY id LIMIT :limit FOR NO KEY UPDATE
    """,
    key=lambda _, row: str(row["file_key"]),
)
MAX_TRIES = 3
_BEAT_SECONDS = 1.0
_AT_A_TIME = 2
_BATCH = 100
# The files of a killed process. No running process takes this long.
_LEFT_BEHIND_SECONDS = 24 * 3600


class _TakenOver(Exception):
    """Another worker has the export, or it was restarted."""


class MakeExports:
    """Makes exports, one of a tenant at a time."""

    name = "make exports"
    rest = 1.0
    is_logged = True
    _due = oldest(
        "exports",
        "status IN ('PENDING', 'RUNNING') AND (lease_until IS NULL OR lease_until <= :now)",
        "created_at",
    )

    def __init__(self, store: FileStore, scratch: Path) -> None:
        self._store = store
        self._scratch = scratch.resolve()
        self._papers = AttendancePapers(scratch)
        self._turns = SideBySide(_AT_A_TIME, self.run_next, name=self.name)

    async def run_once(self, database: Database) -> int:
        tenants = [row["tenant_id"] for row in await database.search(self._due)]
        return await self._turns.run_once(database, tenants, self.rest)

    async def close(self) -> None:
        await self._turns.close()
        await self._papers.close()

    async def run_next(self, database: Database, tenant_id: UUID) -> int:
        """Finishes one export of the tenant; returns 1 if there was one."""
        async with database.transaction(tenant_id) as tx:
            running = await queries.claim(tx, tx.now + LEASE)
        if running is None:
            return 0
        await _Turn(database, tenant_id, running, self._store, self._scratch, self._papers).run()
        return 1


class _Turn:
    """One try at one export."""

    def __init__(
        self,
        database: Database,
        tenant_id: UUID,
        running: RunningExport,
        store: FileStore,
        scratch: Path,
        papers: AttendancePapers,
    ) -> None:
        self._database = database
        self._tenant_id = tenant_id
        self._running = running
        self._store = store
        self._scratch = scratch
        # A process of an earlier attempt may still be running, in another folder.
        self._folder = scratch / f"export-{running.id}.{running.tries}"
        self._making = (
            BundleMaking(self._folder, store, papers)
            if running.type == "zip"
            else Making(self._folder, running.type)
        )

    async def run(self) -> None:
        if self._running.tries > MAX_TRIES:
            await self._fail()
            return
        await asyncio.to_thread(self._prepare)
        work = asyncio.create_task(self._work())
        try:
            while not (await asyncio.wait({work}, timeout=_BEAT_SECONDS))[0]:
                await self._beat()
            await work
        except _TakenOver:
            return
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await work
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def _work(self) -> None:
        try:
            file = await self._make()
            await self._keep(file)
        except (*CONNECTION_ERRORS, _TakenOver):
            raise
        except Exception as error:
            # A full disk, a missing bucket or a killed process: it is retried a few times.
            logs.log_failure("making an export failed", error)
            if self._running.tries >= MAX_TRIES:
                await self._fail()

    async def _make(self) -> Path:
        if isinstance(self._making, BundleMaking):
            wanted = msgspec.convert(self._running.wanted, BundleFilter)
            return await self._making.make(self._database, self._tenant_id, wanted)
        return await self._making.make(self._database, self._tenant_id, _read_filter(self._running))

    async def _keep(self, file: Path) -> None:
        sha256 = await asyncio.to_thread(digest, file)
        size = (await asyncio.to_thread(file.stat)).st_size
        key = files.key(self._tenant_id, self._running.id, sha256)
        await SealedFiles(self._store, self._database.keyring).move(key, file)
        await self._store.settle()
        async with self._database.transaction(self._tenant_id) as tx:
            expires_at = tx.now + RETENTION
            ours = await queries.finish(tx, self._running, self._making.rows, key, size, sha256, expires_at)
        if not ours:
            await self._store.delete(key)
            raise _TakenOver

    async def _beat(self) -> None:
        async with self._database.transaction(self._tenant_id) as tx:
            rows, progress = self._making.rows, self._making.progress
            if not await queries.advance(tx, self._running, rows, progress, tx.now + LEASE):
                raise _TakenOver

    async def _fail(self) -> None:
        async with self._database.transaction(self._tenant_id) as tx:
            await queries.fail(tx, self._running, tx.now + RETENTION)

    def _prepare(self) -> None:
        make_folder(self._scratch, 0o700)
        long_ago = time.time() - _LEFT_BEHIND_SECONDS
        for each in self._scratch.glob("export-*"):
            if each.name.startswith(f"export-{self._running.id}.") or each.stat().st_mtime < long_ago:
                shutil.rmtree(each, ignore_errors=True)
        self._folder.mkdir(0o700)


def _read_filter(running: RunningExport) -> ExportFilter | MatrixFilter:
    if running.name == "compliance":
        return msgspec.convert(running.wanted, MatrixFilter)
    return msgspec.convert(running.wanted, ExportFilter)


class RemoveExports:
    """Removes files before rows, so that an interrupted run is repeated."""

    name = "remove exports"
    rest = 30.0
    is_logged = True
    _due = oldest("exports", "expires_at <= :now", "expires_at")

    def __init__(self, store: FileStore) -> None:
        self._store = store

    async def run_once(self, database: Database) -> int:
        tenants = [row["tenant_id"] for row in await database.search(self._due)]
        return sum([await self.run_in(database, tenant_id) for tenant_id in tenants])

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        async with database.transaction(tenant_id, read_only=True) as tx:
            ids = await queries.list_expired(tx, _BATCH)
        for each in ids:
            await self._store.delete_below(files.folder(tenant_id, each))
        async with database.transaction(tenant_id) as tx:
            await queries.delete(tx, ids)
        return len(ids)


def jobs(store: FileStore, scratch: Path) -> Sequence[Job]:
    return (MakeExports(store, scratch), RemoveExports(store))
