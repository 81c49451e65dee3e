"""What the worker does for certificates: it renders, signs and stores each of them once.

The file is put in its place before the row says that it is there, so that a row never names a file that is
not. Whoever is killed in between loses the lease, and the certificate is rendered anew by whoever comes next.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from msgspec import Struct

from trilha.certificates import files
from trilha.certificates.rendering import queries
from trilha.certificates.rendering.press import NotRendered
from trilha.certificates.rendering.schema import ClaimedCertificate, Rendered
from trilha.core import logs
from trilha.core.database import LOST, Database, Tx
from trilha.core.file_store import FileStore
from trilha.core.sandbox.pool import Died
from trilha.core.sealed_files import SealedFiles

LEASE = timedelta(seconds=30)
DELAYS = tuple(timedelta(seconds=each) for each in (5, 30, 120, 600))
BATCH = 48
# How often what is done is written down, and that the rest is still in hand.
_BEAT_SECONDS = 1.0

# One certificate's PDF and badge. Raises NotRendered, Died.
Make = Callable[[ClaimedCertificate], Awaitable["Made"]]


class Made(Struct, frozen=True):
    """`signed_by`: whose key signed it."""

    pdf: bytes
    badge: str | None = None
    signed_by: str | None = None


class Failed(Struct, frozen=True):
    certificate: ClaimedCertificate
    error: str


class RenderCertificates:
    """`prepare` reads in a batch's first transaction what all its certificates need."""

    name = "render certificates"
    rest = 0.5
    logged = True

    def __init__(self, store: FileStore, prepare: Callable[[Tx], Awaitable[Make]]) -> None:
        self._store = store
        self._prepare = prepare

    async def due_tenants(self, database: Database) -> list[UUID]:
        async with database.unscoped() as unscoped:
            # From another place each time: where there are more than one search finds, none comes never.
            return [row["tenant_id"] for row in await unscoped.rows(queries.DUE, start=uuid4())]

    async def run_once(self, database: Database) -> int:
        tenants = await self.due_tenants(database)
        return sum([await self.run_in(database, tenant_id) for tenant_id in tenants])

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """One batch of the tenant; how many there were."""
        async with database.transaction(tenant_id) as tx:
            claimed = await queries.claim(tx, tx.now + LEASE, BATCH)
            make = await self._prepare(tx) if claimed else None
        if make is not None:
            await _Batch(database, tenant_id, self._store, make).run(claimed)
        return len(claimed)


class _Batch:
    def __init__(self, database: Database, tenant_id: UUID, store: FileStore, make: Make) -> None:
        self._database = database
        self._tenant_id = tenant_id
        self._store = store
        self._make = make
        self._again: set[UUID] = set()  # those that somebody was at before

    async def run(self, claimed: Sequence[ClaimedCertificate]) -> None:
        self._again = {each.id for each in claimed if each.render_tries > 1}
        tasks = {asyncio.create_task(self._turn(each)): each.id for each in claimed}
        running = set(tasks)
        try:
            while running:
                done, running = await asyncio.wait(running, timeout=_BEAT_SECONDS)
                await self._write([each.result() for each in done], [tasks[each] for each in running])
        finally:
            for each in running:
                each.cancel()

    async def _turn(self, certificate: ClaimedCertificate) -> Rendered | Failed:
        try:
            made = await self._make(certificate)
            digest = hashlib.sha256(made.pdf).digest()
            key = files.pdf_key(self._tenant_id, certificate.id, digest)
            await SealedFiles(self._store, self._database.keyring).put(key, made.pdf)
        except Died as error:
            return Failed(certificate, f"setting it: {error}")
        except NotRendered as error:
            return Failed(certificate, str(error))
        except LOST:
            raise
        except Exception as error:
            # Whatever a store of files raises: a full disk, a bucket that is gone.
            logs.failed("rendering a certificate failed", error)
            return Failed(certificate, f"on our side: {type(error).__name__}")
        return Rendered(certificate.id, key, digest, len(made.pdf), made.badge, made.signed_by)

    async def _write(self, ended: Sequence[Rendered | Failed], running: Sequence[UUID]) -> None:
        rendered = [each for each in ended if isinstance(each, Rendered)]
        if rendered:
            await self._store.settle()
        async with self._database.transaction(self._tenant_id) as tx:
            ours = await queries.finish(tx, rendered)
            for each in ended:
                if isinstance(each, Failed):
                    await _fail(tx, each)
            if running:
                await queries.extend(tx, running, tx.now + LEASE)
            lost = [each for each in rendered if each.id not in ours]
            stored = {each.id: await queries.stored_key(tx, each.id) for each in lost}
        for each in lost:
            if stored[each.id] != each.key:
                await self._store.delete(each.key)
        for each in rendered:
            if each.id in ours & self._again:
                await self._remove_others(each)

    async def _remove_others(self, rendered: Rendered) -> None:
        """What whoever was killed over this certificate had put there."""
        async for keys in self._store.list_keys(files.folder(self._tenant_id, rendered.id)):
            await self._store.delete(*(each for each in keys if each != rendered.key))


async def _fail(tx: Tx, failed: Failed) -> None:
    tries = failed.certificate.render_tries
    due_at = tx.now + DELAYS[tries - 1] if tries <= len(DELAYS) else None
    await queries.fail(tx, failed.certificate.id, failed.error, due_at)
