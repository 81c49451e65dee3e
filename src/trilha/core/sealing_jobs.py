"""The worker's jobs that seal files stored before personal data was encrypted."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, Tx
from trilha.core.file_store import FileStore
from trilha.core.jobs import each_tenant_once
from trilha.core.sealed_files import SealedFiles

_BATCH = 20


class SealedKind(Struct, frozen=True):
    """One kind of file.

    `select` locks the rows after `:after` that have such a file, in the order of their ids, so that none
    is erased before its file is sealed. `key` returns a row's file.
    """

    name: str
    select: str
    key: Callable[[UUID, Any], str]


class SealOldFiles:
    """Goes through each tenant's files in the order of their rows, and records its progress.

    Sealed files are skipped, so that a batch can be repeated after a crash.
    """

    name = "seal old files"
    rest = 5.0
    is_logged = True
    _due = each_tenant_once("file_sealings", "true")

    def __init__(self, files: FileStore, kinds: tuple[SealedKind, ...]) -> None:
        self._files = files
        self._kinds = {kind.name: kind for kind in kinds}

    async def run_once(self, database: Database) -> int:
        async with database.unscoped() as unscoped:
            rows = await unscoped.rows(self._due, start=UUID(int=0))
        return sum([await self.run_in(database, row["tenant_id"]) for row in rows])

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Seals a tenant's next files. Returns how many it examined, at least 1 while any are left."""
        async with database.transaction(tenant_id) as tx:
            rows = await tx.rows(
                """
                SELECT kind, after_id FROM file_sealings WHERE tenant_id = :tenant
                ORDER BY kind LIMIT 1 FOR UPDATE SKIP LOCKED
                """
            )
            if not rows:
                return 0
            ((kind, after),) = rows
            return await self._seal(tx, SealedFiles(self._files, database.keyring), kind, after)

    async def _seal(self, tx: Tx, files: SealedFiles, name: str, after: UUID) -> int:
        kind = self._kinds[name]
        rows = await tx.rows(kind.select, after=after, limit=_BATCH)
        for row in rows:
            await files.seal(kind.key(tx.tenant_id, row))
        await files.settle()
        if len(rows) < _BATCH:
            await tx.execute(
                "DELETE FROM file_sealings WHERE tenant_id = :tenant AND kind = :kind", kind=name
            )
        else:
            await tx.execute(
                "UPDATE file_sealings SET after_id = :after WHERE tenant_id = :tenant AND kind = :kind",
                kind=name,
                after=rows[-1]["id"],
            )
        return max(len(rows), 1)
