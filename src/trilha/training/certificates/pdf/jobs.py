"""The worker's job that renders, signs and stores each certificate once.

A file is stored before the row refers to it, so that no row names a missing file. A worker that dies in
between loses its lease, and another worker renders the certificate anew.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from uuid import UUID

from msgspec import Struct

from trilha.core import logs, metrics, tracing
from trilha.core.database import CONNECTION_ERRORS, Database, Tx
from trilha.core.file_store import FileStore
from trilha.core.sandbox.pool import ProcessDied
from trilha.core.sealed_files import SealedFiles
from trilha.training.certificates import files
from trilha.training.certificates.pdf import queries
from trilha.training.certificates.pdf.press import NotRendered
from trilha.training.certificates.pdf.schema import ClaimedCertificate, StoredRendering

LEASE = timedelta(seconds=30)
DELAYS = tuple(timedelta(seconds=each) for each in (5, 30, 120, 600))
BATCH = 48
# How often results are recorded and the leases of the rest renewed.
_BEAT_SECONDS = 1.0

# Renders one certificate's PDF and badge. Raises NotRendered, Died.
Make = Callable[[ClaimedCertificate], Awaitable["RenderedFiles"]]


class RenderedFiles(Struct, frozen=True):
    """The stored files of one certificate. `signed_by` is the owner of the key that signed the PDF."""

    pdf: bytes
    badge: str | None = None
    signed_by: str | None = None


class RenderFailure(Struct, frozen=True):
    certificate: ClaimedCertificate
    error: str


class RenderCertificates:
    """Renders certificates. `prepare` reads everything that a batch needs in its first transaction."""

    name = "render certificates"
    rest = 0.5
    is_logged = True

    def __init__(self, store: FileStore, prepare: Callable[[Tx], Awaitable[Make]]) -> None:
        self._store = store
        self._prepare = prepare

    async def due_tenants(self, database: Database) -> list[UUID]:
        return [row["tenant_id"] for row in await database.search(queries.DUE)]

    async def run_once(self, database: Database) -> int:
        tenants = await self.due_tenants(database)
        return sum([await self.run_in(database, tenant_id) for tenant_id in tenants])

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Renders one batch of the tenant; returns how many certificates it had."""
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
        self._again: set[UUID] = set()  # those that another worker started before

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

    async def _turn(self, certificate: ClaimedCertificate) -> StoredRendering | RenderFailure:
        attributes = {"trilha.tenant_id": str(self._tenant_id), "trilha.certificate_id": str(certificate.id)}
        began = time.perf_counter()
        with tracing.span("render certificate", attributes) as span:
            result = await self._render(certificate)
            is_failure = isinstance(result, RenderFailure)
            if is_failure:
                span.fail("not_rendered")
        metrics.count_render("failed" if is_failure else "done", time.perf_counter() - began)
        return result

    async def _render(self, certificate: ClaimedCertificate) -> StoredRendering | RenderFailure:
        try:
            made = await self._make(certificate)
            digest = hashlib.sha256(made.pdf).digest()
            key = files.pdf_key(self._tenant_id, certificate.id, digest)
            await SealedFiles(self._store, self._database.keyring).put(key, made.pdf)
        except ProcessDied as error:
            return RenderFailure(certificate, f"setting it: {error}")
        except NotRendered as error:
            return RenderFailure(certificate, str(error))
        except CONNECTION_ERRORS:
            raise
        except Exception as error:
            # Any error of a file store, such as a full disk or a missing bucket.
            logs.log_failure("rendering a certificate failed", error)
            return RenderFailure(certificate, f"on our side: {type(error).__name__}")
        return StoredRendering(certificate.id, key, digest, len(made.pdf), made.badge, made.signed_by)

    async def _write(self, ended: Sequence[StoredRendering | RenderFailure], running: Sequence[UUID]) -> None:
        rendered = [each for each in ended if isinstance(each, StoredRendering)]
        if rendered:
            await self._store.settle()
        async with self._database.transaction(self._tenant_id) as tx:
            ours = await queries.finish(tx, rendered)
            for each in ended:
                if isinstance(each, RenderFailure):
                    await _fail(tx, each)
            if running:
                await queries.extend(tx, running, tx.now + LEASE)
            lost = [each for each in rendered if each.id not in ours]
            stored = {each.id: await queries.find_file_key(tx, each.id) for each in lost}
        for each in lost:
            if stored[each.id] != each.key:
                await self._store.delete(each.key)
        for each in rendered:
            if each.id in ours & self._again:
                await self._remove_others(each)

    async def _remove_others(self, rendered: StoredRendering) -> None:
        """Removes files that an interrupted run has stored for this certificate."""
        async for keys in self._store.list_keys(files.folder(self._tenant_id, rendered.id)):
            await self._store.delete(*(each for each in keys if each != rendered.key))


async def _fail(tx: Tx, failed: RenderFailure) -> None:
    tries = failed.certificate.render_tries
    due_at = tx.now + DELAYS[tries - 1] if tries <= len(DELAYS) else None
    await queries.fail(tx, failed.certificate.id, failed.error, due_at)
