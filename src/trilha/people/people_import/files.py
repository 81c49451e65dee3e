"""The sealed files of imports in the file store, which the worker removes after the import.

They contain passwords and documents. A file's key contains its tenant's id, so that the worker can find files
without an import: a process was killed between storing the two.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

from trilha.core.file_store import FileStore, open_file_store
from trilha.core.resealing.files import SealedKind
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring, UnreadableSecret

# The first bytes of a file, enough to show sample cells of each column.
SAMPLE_BYTES = 4 << 20
_NAME = "imports"
SEALED_IMPORTS = SealedKind(
    name=_NAME,
    select="""
        SELECT id, path FROM imports
        WHERE tenant_id = :tenant AND path LIKE 'imports/%' AND id > :after
        ORDER BY id LIMIT :limit FOR UPDATE
        """,
    key=lambda _, row: str(row["path"]),
    may_be_missing=True,
)


class ImportFiles:
    """The files of imports. A file's path is its key in the file store.

    Before files were in the file store, they were in a folder of one machine, and their paths were absolute.
    """

    def __init__(self, store: FileStore, keyring: Keyring) -> None:
        self._store = store
        self._sealed = SealedFiles(store, keyring)
        self._keyring = keyring

    async def keep(self, tenant_id: UUID, raw: bytes) -> str:
        """Stores a file and returns its path. The import removes the file at its end; a caller that starts no
        import must remove it.
        """
        path = f"{of_tenant(tenant_id)}/{uuid4()}.csv"
        await self._sealed.put(path, raw)
        await self._sealed.settle()
        return path

    async def read(self, path: str, limit: int | None = None) -> bytes:
        """Returns the file, or its first `limit` bytes.

        Raises FileNotFoundError if the file is missing or cannot be opened.
        """
        files, key, must_be_sealed = self._sealed, path, True
        if _is_on_one_machine(path):
            folder, key = Path(path).parent, Path(path).name
            files, must_be_sealed = SealedFiles(open_file_store(None, folder), self._keyring), "." in key[:-4]
        try:
            if must_be_sealed and not await files.is_sealed(key):
                raise UnreadableSecret("the sealed file was replaced by another")
            return b"".join([piece async for piece in files.read(key, 0, limit)])
        except (UnreadableSecret, ValueError, PermissionError) as error:
            raise FileNotFoundError(f"{path} does not open") from error

    async def remove(self, path: str) -> None:
        """Does nothing if the file does not exist."""
        if _is_on_one_machine(path):
            await asyncio.to_thread(Path(path).unlink, missing_ok=True)
        else:
            await self._store.delete(path)

    async def list_old(self, before: datetime) -> AsyncIterator[Sequence[tuple[UUID, str]]]:
        """Yields the files stored before this moment in batches, each with its tenant's id."""
        async for keys in self._store.list_keys(_NAME, before=before):
            yield [(UUID(key.split("/")[1]), key) for key in keys]


def of_tenant(tenant_id: UUID) -> str:
    """Returns the folder of a tenant's files."""
    return f"{_NAME}/{tenant_id}"


def explain_missing(path: str) -> str:
    """Returns the sentence for an import whose file does not open."""
    if _is_on_one_machine(path):
        return "The file is on another machine, or is not there any more. Upload it again."
    return "The file is not there any more."


def remove_from_folder(folder: Path, before: datetime) -> int:
    """Removes files from the folder that was used before the file store. Returns how many."""
    removed = 0
    for path in folder.glob("*.csv"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < before.timestamp():
                path.unlink()
                removed += 1
    return removed


def _is_on_one_machine(path: str) -> bool:
    return path.startswith("/")
