"""Where the files of imports are kept, sealed, until the worker has done with them.

They hold passwords and documents of people. A file's name begins with its tenant's id, by which the worker
finds those that no import has: a process was killed after it kept one.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid4

from trilha.core.file_store import open_file_store
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring, UnreadableSecret

# What people recognise the columns by is in the first bytes of a file.
SAMPLE_BYTES = 4 << 20


class ImportFiles:
    """A folder that only this program reads."""

    def __init__(self, data_dir: Path, keyring: Keyring) -> None:
        self._folder = data_dir / "imports"
        self._keyring = keyring

    async def keep(self, tenant_id: UUID, raw: bytes) -> Path:
        """Where it is kept. The import removes it at its end; who does not start one removes it."""
        path = self._folder.resolve() / f"{tenant_id}.{uuid4()}.csv"
        await _sealed(path, self._keyring).put(path.name, raw)
        return path

    async def list_old(self, before: float) -> Sequence[tuple[UUID, Path]]:
        """Those that were kept before this moment, in seconds since 1970, each with its tenant."""
        return await asyncio.to_thread(self._list_old, before)

    def _list_old(self, before: float) -> Sequence[tuple[UUID, Path]]:
        found = []
        for path in self._folder.resolve().glob("*.*.csv"):
            with suppress(ValueError, FileNotFoundError):
                if path.stat().st_mtime < before:
                    found.append((UUID(path.name.partition(".")[0]), path))
        return found


async def read_kept(path: Path, keyring: Keyring, most: int | None = None) -> bytes:
    """The file, or its first bytes. One that was kept before files were sealed is read as it is: its name
    begins with no tenant's id.

    Raises OSError where it is not there, or does not open.
    """
    files = _sealed(path, keyring)
    try:
        if path.name.count(".") > 1 and not await files.is_sealed(path.name):
            raise UnreadableSecret("the sealed file was replaced by another")
        return b"".join([piece async for piece in files.read(path.name, 0, most)])
    except (UnreadableSecret, ValueError) as error:
        raise OSError(f"{path.name} does not open") from error


async def remove_kept(path: Path) -> None:
    """One that is not there is no matter."""
    await asyncio.to_thread(path.unlink, missing_ok=True)


def _sealed(path: Path, keyring: Keyring) -> SealedFiles:
    return SealedFiles(open_file_store(None, path.parent), keyring)
