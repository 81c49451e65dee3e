"""The worker's job that encrypts files with the newest master key: those stored before files were encrypted,
and those of an older key, once `trilha keys reseal` has listed them.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core import logs
from trilha.core.database import Database, Tx
from trilha.core.file_store import FileStore
from trilha.core.jobs import each_tenant_once
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import UnreadableSecret

# The rows of a batch are locked while their files are encrypted, at the same time.
_BATCH = 20


class SealedKind(Struct, frozen=True):
    """One kind of file.

    `select` locks the rows after `:after` that have such a file, in the order of their ids, so that none
    is erased before its file is sealed. `key` returns a row's file, which not every row has if
    `may_be_missing`.
    """

    name: str
    select: str
    key: Callable[[UUID, Any], str]
    may_be_missing: bool = False


async def list_tenant_files(tx: Tx, kinds: Sequence[SealedKind]) -> None:
    """Puts all files of a tenant on the list of those to encrypt again."""
    await tx.execute(
        """
        INSERT INTO file_sealings (tenant_id, kind) SELECT :tenant, unnest(:kinds::text[])
        ON CONFLICT (tenant_id, kind) DO UPDATE SET after_id = excluded.after_id
        RETURNING kind
        """,
        kinds=[kind.name for kind in kinds],
    )


class ResealFiles:
    """Goes through each listed tenant's files in the order of their rows, and records its progress.

    Files of the newest key are skipped, so that a batch can be repeated after a crash.
    """

    name = "encrypt files again"
    rest = 5.0
    is_logged = True
    _due = each_tenant_once("file_sealings", "true")

    def __init__(self, files: FileStore, kinds: tuple[SealedKind, ...]) -> None:
        self._files = files
        self._kinds = {kind.name: kind for kind in kinds}

    async def run_once(self, database: Database) -> int:
        rows = await database.search(self._due)
        return sum([await self.run_in(database, row["tenant_id"]) for row in rows])

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Encrypts a tenant's next files. Returns how many it examined, at least 1 while any are left."""
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
        async with asyncio.TaskGroup() as tasks:
            for row in rows:
                tasks.create_task(_reseal(files, kind.key(tx.tenant_id, row)))
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


async def _reseal(files: SealedFiles, key: str) -> None:
    try:
        await files.reseal(key)
    except UnreadableSecret as error:
        # No key opens it, so it would not be readable with the old key either.
        logs.note("a file cannot be encrypted again", key=key, reason=str(error))
