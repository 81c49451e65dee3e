"""A package's file on its way in: kept in the file store until the worker has done with it."""

import asyncio
import hashlib
from pathlib import Path
from uuid import UUID, uuid4

from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.scorm import objects
from trilha.scorm.schema import KeptArchive

MOST_BYTES = 2048 * 1024 * 1024


async def keep(files: FileStore, tenant_id: UUID, path: Path) -> KeptArchive:
    """A copy of the file, before the transaction that starts its import.

    Whoever does not start it then calls `drop`. Raises Invalid (package_too_large).
    """
    size = (await asyncio.to_thread(path.stat)).st_size
    if size > MOST_BYTES:
        raise invalid("file", "package_too_large")
    package_id = uuid4()
    key = objects.archive(tenant_id, package_id)
    sha256 = await asyncio.to_thread(_digest, path)
    await files.put(key, path)
    return KeptArchive(package_id, key, sha256, size)


async def drop(files: FileStore, archive: KeptArchive) -> None:
    await files.delete(archive.key)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
