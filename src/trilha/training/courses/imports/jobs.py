"""The worker's part of imports: it fetches files, and adds packages to their courses once they are unpacked.

If a worker is killed, its lease ends and another worker fetches the file again.
"""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from trilha.core import logs
from trilha.core.credentials import Actor
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.errors import ApiError
from trilha.core.file_store import FileStore
from trilha.core.files import make_folder
from trilha.core.jobs import SideBySide, TenantJob, each_tenant_once, oldest
from trilha.core.outbound.downloading import Downloader
from trilha.core.outbound.fetching import FetchFailed
from trilha.training.courses.imports import actions, queries, rules
from trilha.training.courses.imports.files import ModuleFiles
from trilha.training.courses.imports.schema import OpenImport

_BEAT_SECONDS = 2.0
# Files of this many tenants are fetched at the same time.
_TENANTS = 4


class FetchModules:
    """Fetches the files of imports that wait or were interrupted, one of each tenant at a time."""

    name = "fetch modules"
    rest = 1.0
    is_logged = True
    _due = each_tenant_once(
        "module_imports", "step = 'FETCH' AND (lease_until IS NULL OR lease_until <= :now)"
    )

    def __init__(self, files: FileStore, scratch: Path, downloader: Downloader) -> None:
        self._files = files
        self._scratch = scratch.resolve()
        self._downloader = downloader
        self._turns = SideBySide(_TENANTS, self.run_next, name=self.name)

    async def due_tenants(self, database: Database, start: UUID | None = None) -> list[UUID]:
        return [row["tenant_id"] for row in await database.search(self._due, start)]

    async def run_once(self, database: Database) -> int:
        return await self._turns.run_once(database, await self.due_tenants(database), self.rest)

    async def close(self) -> None:
        """Interrupts what is being fetched, because a slow server could delay the end of the worker by an
        hour. It is fetched again once its lease is over.
        """
        await self._turns.cancel()

    async def run_next(self, database: Database, tenant_id: UUID, import_id: UUID | None = None) -> int:
        """Fetches one file of the tenant. Returns 1 if there was one."""
        async with database.transaction(tenant_id) as tx:
            running = await queries.claim(tx, tx.now + rules.LEASE, import_id)
            url = await actions.open_url(tx, running) if running is not None else None
        if running is None:
            return 0
        if url is None:
            return 1
        await _Turn(database, tenant_id, running, url, self._files, self._scratch, self._downloader).run()
        return 1


class _TakenOver(Exception):
    """Raised when another worker has taken the import over."""


class _Turn:
    """One try to fetch one file."""

    def __init__(
        self,
        database: Database,
        tenant_id: UUID,
        running: OpenImport,
        url: str,
        files: FileStore,
        scratch: Path,
        downloader: Downloader,
    ) -> None:
        self._database = database
        self._tenant_id = tenant_id
        self._running = running
        self._url = url
        self._files = ModuleFiles(files, database)
        self._scratch = scratch
        self._downloader = downloader
        # The import of its package uses folders that begin with the same id.
        self._folder = scratch / f"fetch-{running.id}.{running.tries}"

    async def run(self) -> None:
        if self._running.tries > rules.MAX_TRIES:
            return await self._fail("tried_too_often")
        await asyncio.to_thread(self._prepare)
        work = asyncio.create_task(self._work())
        try:
            while not (await asyncio.wait({work}, timeout=_BEAT_SECONDS))[0]:
                await self._beat()
            await work
        except _TakenOver:
            return None
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await work
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def _work(self) -> None:
        try:
            await self._fetch()
        except FetchFailed as error:
            await self._fail(str(error))
        except ApiError as error:
            await self._fail(rules.find_code(error))
        except (_TakenOver, *CONNECTION_ERRORS):
            raise
        except Exception as error:
            # Any error of a file store: a full disk, or a missing bucket.
            logs.log_failure("storing the file of a module failed", error)
            await self._fail("storage_failed")

    async def _fetch(self) -> None:
        path = self._folder / "file"
        await self._downloader.download(self._url, path)
        running = self._running
        kept = await self._files.keep(self._tenant_id, running.id, running.type, path, running.file_name)
        try:
            async with self._database.transaction(self._tenant_id, actor=_actor(running)) as tx:
                if not await queries.leave_fetching(tx, running):
                    raise _TakenOver
                await actions.receive(tx, running, kept)
        finally:
            await kept.dispose()

    async def _beat(self) -> None:
        async with self._database.transaction(self._tenant_id) as tx:
            if not await queries.extend_lease(tx, self._running, tx.now + rules.LEASE):
                raise _TakenOver

    async def _fail(self, code: str) -> None:
        async with self._database.transaction(self._tenant_id, actor=_actor(self._running)) as tx:
            if await queries.leave_fetching(tx, self._running):
                await actions.fail(tx, self._running, code)

    def _prepare(self) -> None:
        make_folder(self._scratch, 0o700)
        for each in self._scratch.glob(f"fetch-{self._running.id}.*"):
            shutil.rmtree(each, ignore_errors=True)
        self._folder.mkdir(0o700)


class AddPackages:
    """Adds the parts of packages to their courses."""

    name = "add imported packages"
    rest = 1.0
    is_logged = True
    _due = each_tenant_once("module_imports", "step = 'UNPACK'")

    async def due_tenants(self, database: Database, start: UUID | None = None) -> list[UUID]:
        return [row["tenant_id"] for row in await database.search(self._due, start)]

    async def run_once(self, database: Database) -> int:
        return sum([await self.run_in(database, each) for each in await self.due_tenants(database)])

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Ends the imports of a tenant whose packages are read. Returns how many."""
        async with database.transaction(tenant_id) as tx:
            waiting = await queries.list_unpacked(tx)
        for each in waiting:
            async with database.transaction(tenant_id, actor=_actor(each)) as tx:
                if await queries.lock_unpacked(tx, each.id):
                    await actions.add_unpacked(tx, each)
        return len(waiting)


def _actor(running: OpenImport) -> Actor:
    """Changes are recorded for who requested the import."""
    return Actor(running.actor_kind, running.actor, running.source)


PRUNE = TenantJob(
    name="prune imports of modules",
    due=oldest("module_imports", "step IS NULL AND updated_at < :before", "updated_at"),
    batch=queries.delete_old,
    rest=3600,
    ages={"before": rules.RETENTION},
)
