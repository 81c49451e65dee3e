"""The worker's import of packages: it unpacks them in a separate process and stores the files.

If a worker is killed, its lease ends and another worker begins the import again. The keys of stored files
follow from the upload, so doing it twice has the same result.
"""

import asyncio
import shutil
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from trilha.core import logs
from trilha.core.credentials import Actor
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.file_store import FileStore
from trilha.core.files import make_folder
from trilha.core.jobs import SideBySide, each_tenant_once
from trilha.training.scorm import actions, objects, queries, rules
from trilha.training.scorm.package.extraction import Extraction
from trilha.training.scorm.schema import RunningImport
from trilha.training.scorm.unpacking import ProcessDied, unpack

LEASE = timedelta(seconds=30)
MAX_TRIES = 5
_BEAT_SECONDS = 2.0
# Packages of this many tenants are read at the same time, each by a process with limits of its own.
_TENANTS = 4
_AT_A_TIME = 8
# How long files of a killed worker stay on this machine while another one finishes its import.
_LEFT_BEHIND_SECONDS = 24 * 3600


class ImportPackages:
    """Imports packages that wait or were interrupted, one of each tenant at a time."""

    name = "import packages"
    rest = 1.0
    is_logged = True
    _due = each_tenant_once(
        "packages", "archive IS NOT NULL AND (lease_until IS NULL OR lease_until <= :now)"
    )

    def __init__(self, files: FileStore, scratch: Path) -> None:
        self._files = files
        self._scratch = scratch.resolve()
        self._turns = SideBySide(_TENANTS, self.run_next, name=self.name)

    async def due_tenants(self, database: Database, start: UUID | None = None) -> list[UUID]:
        return [row["tenant_id"] for row in await database.search(self._due, start)]

    async def run_once(self, database: Database) -> int:
        return await self._turns.run_once(database, await self.due_tenants(database), self.rest)

    async def close(self) -> None:
        await self._turns.close()

    async def run_next(self, database: Database, tenant_id: UUID, package_id: UUID | None = None) -> int:
        """Finishes one import of the tenant. Returns 1 if there was one."""
        async with database.transaction(tenant_id) as tx:
            running = await queries.claim(tx, tx.now + LEASE, package_id)
        if running is None:
            return 0
        turn = _Turn(database, tenant_id, running, self._files, self._scratch)
        if running.state != "RUNNING" or await turn.run():
            await self._files.delete(running.archive)
            async with database.transaction(tenant_id) as tx:
                await queries.forget_archive(tx, running.id)
        return 1


class _TakenOver(Exception):
    """Raised when another worker has taken the import over."""


class _Turn:
    """One try at one import."""

    def __init__(
        self, database: Database, tenant_id: UUID, running: RunningImport, files: FileStore, scratch: Path
    ) -> None:
        self._database = database
        self._tenant_id = tenant_id
        self._running = running
        self._files = files
        self._scratch = scratch
        # A process of an earlier try may still be running, in its own folder.
        self._folder = scratch / f"{running.id}.{running.tries}"
        self._progress = 0

    async def run(self) -> bool:
        """Returns False if the import is not finished, or another worker has taken it over."""
        if self._running.tries > MAX_TRIES:
            return await self._fail("tried_too_often")
        await asyncio.to_thread(self._prepare)
        work = asyncio.create_task(self._work())
        try:
            while not (await asyncio.wait({work}, timeout=_BEAT_SECONDS))[0]:
                await self._beat()
            return await work
        except _TakenOver:
            return False
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await work
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def _work(self) -> bool:
        try:
            extraction = await self._unpack()
            if rules.state_of(extraction) == "READY":
                await self._store(extraction)
        except ProcessDied as error:
            return await self._fail("process_died", reason=str(error))
        except FileNotFoundError:
            return await self._fail("archive_gone")
        except CONNECTION_ERRORS:
            raise
        except Exception as error:
            # Any error of a file store: a full disk, or a missing bucket.
            logs.log_failure("storing a package failed", error)
            await self._remove_stored()
            return await self._fail("storage_failed")
        async with self._database.transaction(self._tenant_id, actor=self._actor) as tx:
            return await actions.finish(tx, self._running, extraction)

    async def _unpack(self) -> Extraction:
        archive = self._files.local_path(self._running.archive)
        if archive is None:
            archive = self._folder / "archive.zip"
            with archive.open("wb") as file:
                async for piece in self._files.read(self._running.archive):
                    await asyncio.to_thread(file.write, piece)
        elif not archive.exists():
            raise FileNotFoundError(archive)

        def report_progress(percent: int) -> None:
            self._progress = rules.compute_unpacking_progress(percent)

        return await unpack(archive, self._folder, report_progress)

    async def _store(self, extraction: Extraction) -> None:
        folder = objects.folder(self._tenant_id, self._running.sha256)
        numbers = iter([each.number for each in extraction.files.values()])
        done = 0

        async def store_some() -> None:
            nonlocal done
            for number in numbers:
                await self._files.move(objects.key(folder, number), self._folder / "files" / str(number))
                done += 1
                self._progress = rules.compute_storing_progress(done, len(extraction.files))

        async with asyncio.TaskGroup() as tasks:
            for _ in range(_AT_A_TIME):
                tasks.create_task(store_some())
        await self._files.settle()

    async def _remove_stored(self) -> None:
        """Removes the stored files, unless the same file was uploaded before or again."""
        async with self._database.transaction(self._tenant_id) as tx:
            if not await queries.is_archive_shared(tx, self._running):
                await self._files.delete_below(objects.folder(self._tenant_id, self._running.sha256))

    async def _beat(self) -> None:
        async with self._database.transaction(self._tenant_id) as tx:
            if not await queries.advance(tx, self._running, self._progress, tx.now + LEASE):
                raise _TakenOver

    async def _fail(self, code: str, **values: str) -> bool:
        async with self._database.transaction(self._tenant_id, actor=self._actor) as tx:
            return await actions.fail(tx, self._running, code, **values)

    @property
    def _actor(self) -> Actor:
        """Changes are recorded for the person who requested the import."""
        return Actor(self._running.actor_kind, self._running.actor, self._running.source)

    def _prepare(self) -> None:
        make_folder(self._scratch, 0o700)
        long_ago = time.time() - _LEFT_BEHIND_SECONDS
        for each in self._scratch.iterdir():
            if each.name.startswith(f"{self._running.id}.") or each.stat().st_mtime < long_ago:
                shutil.rmtree(each, ignore_errors=True)
        self._folder.mkdir(0o700)
