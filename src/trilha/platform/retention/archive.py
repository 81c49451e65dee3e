"""Writes rows that retention deletes to the file store first, as sealed Parquet files by log and month.

The file is stored before the deletion is committed. If the process is killed in between, the rows are still
there, and the next batch stores them again: under the same name if it has the same rows. A file counts only
if it is in `archive_files`, so that no row is read twice.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.core.resealing.files import SealedKind
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring
from trilha.platform.retention import archive_queries as queries
from trilha.platform.retention.archive_queries import ArchiveFile, NewFile
from trilha.platform.retention.logs import ArchivedLog
from trilha.settings import Settings

SEALED_FILES = SealedKind(
    name="archive",
    select="""
        SELECT id, file_key FROM archive_files WHERE tenant_id = :tenant AND id > :after
        ORDER BY id LIMIT :limit FOR NO KEY UPDATE
        """,
    key=lambda _, row: str(row["file_key"]),
)


class Archive:
    """The archive in a file store. Without one, it keeps nothing."""

    def __init__(self, files: FileStore | None = None) -> None:
        self._files = files

    @classmethod
    def of(cls, settings: Settings) -> "Archive":
        return cls(settings.open_files() if settings.archive == "on" else None)

    async def keep(self, tx: Tx, log: ArchivedLog, rows: Sequence[Any]) -> int:
        """Stores rows that this transaction has deleted, a file for each month. Returns how many rows."""
        if rows and self._files is not None:
            sealed = SealedFiles(self._files, tx.keyring)
            files = [await _store(tx, sealed, log, *each) for each in _by_month(log, rows).items()]
            await sealed.settle()
            await queries.insert(tx, files)
        return len(rows)


async def read_files(
    store: FileStore, keyring: Keyring, files: Sequence[ArchiveFile]
) -> AsyncIterator[tuple[ArchiveFile, bytes]]:
    """Yields each file with its content, as Parquet. Raises FileNotFoundError, UnreadableSecret."""
    sealed = SealedFiles(store, keyring)
    for file in files:
        yield file, b"".join([piece async for piece in sealed.read(file.file_key)])


def build_tenant_prefix(tenant_id: UUID) -> str:
    """Returns the folder of all archived rows of a tenant."""
    return f"archive/{tenant_id}"


async def _store(tx: Tx, sealed: SealedFiles, log: ArchivedLog, month: str, rows: Sequence[Any]) -> NewFile:
    """Stores the rows of one month. The name depends on nothing but the rows."""
    ordered = sorted(rows, key=lambda row: (row[log.at], *(str(row[name]) for name in log.key)))
    ids = "\n".join(" ".join(str(row[name]) for name in log.key) for row in ordered)
    name = f"{_compact(ordered[0][log.at])}-{hashlib.sha256(ids.encode()).hexdigest()[:32]}"
    key = f"{build_tenant_prefix(tx.tenant_id)}/{log.name}/{month}/{name}.parquet"
    # Imported here, because most processes need no Parquet.
    from trilha.platform.retention import parquet

    await sealed.put(key, await asyncio.to_thread(parquet.write, log, ordered))
    return NewFile(log.name, month, len(ordered), key)


def _by_month(log: ArchivedLog, rows: Sequence[Any]) -> dict[str, list[Any]]:
    months: dict[str, list[Any]] = {}
    for row in rows:
        months.setdefault(row[log.at][:7], []).append(row)
    return months


def _compact(moment: str) -> str:
    return "".join(each for each in moment[:19] if each not in "-:")
