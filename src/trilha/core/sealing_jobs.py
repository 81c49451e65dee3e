"""The worker seals files that were stored before files with personal data were sealed."""

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

    `select` locks the rows after `:after` that have such a file, in the order of their ids, so that none of
    these is erased before its file is sealed; `key` is where the file of a row is.
    """

    name: str
    select: str
    key: Callable[[UUID, Any], str]


class SealOldFiles:
    """Goes through each tenant's files by the order of their rows, and notes how far it has come.

    A file that is sealed already is left alone, so that a worker that was killed begins its batch again.
    """

    name = "seal old files"
    rest = 5.0
    logged = True
    _due = each_tenant_once("file_sealings", "true")

    def __init__(self, files: FileStore, kinds: tuple[SealedKind, ...]) -> None:
        self._files = files
        self._kinds = {kind.name: kind for kind in kinds}

    async def run_once(self, database: Database) -> int:
        async with database.unscoped() as unscoped:
            rows = await unscoped.rows(self._due, start=UUID(int=0))
        return sum([await self.run_in(database, row["tenant_id"]) for row in rows])

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Seals the next files of a tenant. Returns how many it looked at, at least 1 while any are left."""
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
        rows = await tx.rows(kind.select, after=after, most=_BATCH)
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
