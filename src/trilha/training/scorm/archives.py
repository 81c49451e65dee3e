"""Uploaded archives in the file store, and the removal of what the worker stores there."""

import asyncio
import hashlib
from pathlib import Path
from uuid import UUID, uuid4

from trilha.core.file_store import FileStore
from trilha.training.scorm import objects, rules
from trilha.training.scorm.schema import StoredArchive


async def keep(
    files: FileStore, tenant_id: UUID, path: Path, package_id: UUID | None = None
) -> StoredArchive:
    """Stores a copy of the file, before the transaction that starts its import. `package_id` is the id that
    the package will have, by default a new one.

    If the import does not start, the caller calls `drop`. Raises Invalid (package_too_large).
    """
    size = (await asyncio.to_thread(path.stat)).st_size
    rules.check_size(size)
    package_id = package_id or uuid4()
    key = objects.archive(tenant_id, package_id)
    sha256 = await asyncio.to_thread(_digest, path)
    await files.put(key, path)
    return StoredArchive(package_id, key, sha256, size)


async def drop(files: FileStore, archive: StoredArchive) -> None:
    await files.delete(archive.key)


async def remove_files(files: FileStore, tenant_id: UUID, sha256: str) -> None:
    """Removes the unpacked files, once no package uses them."""
    await files.delete_below(objects.folder(tenant_id, sha256))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
