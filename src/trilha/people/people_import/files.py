"""The sealed files of imports, which the worker removes after the import.

They contain passwords and documents. A file's name begins with its tenant's id, so that the worker can find
files without an import: a process was killed between storing the two.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid4

from trilha.core.file_store import open_file_store
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring, UnreadableSecret

# The first bytes of a file, enough to show sample cells of each column.
SAMPLE_BYTES = 4 << 20


class ImportFiles:
    """The folder of import files."""

    def __init__(self, data_dir: Path, keyring: Keyring) -> None:
        self._folder = data_dir / "imports"
        self._keyring = keyring

    async def keep(self, tenant_id: UUID, raw: bytes) -> Path:
        """Stores a file and returns its path. The import removes the file at its end; a caller that starts no
        import must remove it.
        """
        path = self._folder.resolve() / f"{tenant_id}.{uuid4()}.csv"
        await _open_sealed(path, self._keyring).put(path.name, raw)
        return path

    async def list_old(self, before: float) -> Sequence[tuple[UUID, Path]]:
        """Returns the files stored before this moment (seconds since 1970), each with its tenant's id."""
        return await asyncio.to_thread(self._list_old, before)

    def _list_old(self, before: float) -> Sequence[tuple[UUID, Path]]:
        files = []
        for path in self._folder.resolve().glob("*.*.csv"):
            with suppress(ValueError, FileNotFoundError):
                if path.stat().st_mtime < before:
                    files.append((UUID(path.name.partition(".")[0]), path))
        return files


async def read_stored(path: Path, keyring: Keyring, limit: int | None = None) -> bytes:
    """Returns the file, or its first `limit` bytes. Files from before sealing, whose names have no tenant's
    id, are returned as they are.

    Raises OSError if the file is missing or cannot be opened.
    """
    files = _open_sealed(path, keyring)
    try:
        if path.name.count(".") > 1 and not await files.is_sealed(path.name):
            raise UnreadableSecret("the sealed file was replaced by another")
        return b"".join([piece async for piece in files.read(path.name, 0, limit)])
    except (UnreadableSecret, ValueError) as error:
        raise OSError(f"{path.name} does not open") from error


async def remove_stored(path: Path) -> None:
    """Does nothing if the file does not exist."""
    await asyncio.to_thread(path.unlink, missing_ok=True)


def _open_sealed(path: Path, keyring: Keyring) -> SealedFiles:
    return SealedFiles(open_file_store(None, path.parent), keyring)
