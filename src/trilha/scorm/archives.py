"""What is in the file store for packages, beside what the worker puts there: archives on their way in."""

import asyncio
import hashlib
from pathlib import Path
from uuid import UUID, uuid4

from trilha.core.file_store import FileStore
from trilha.scorm import objects, rules
from trilha.scorm.schema import KeptArchive


async def keep(files: FileStore, tenant_id: UUID, path: Path) -> KeptArchive:
    """A copy of the file, before the transaction that starts its import.

    Whoever does not start it then calls `drop`. Raises Invalid (package_too_large).
    """
    size = (await asyncio.to_thread(path.stat)).st_size
    rules.check_size(size)
    package_id = uuid4()
    key = objects.archive(tenant_id, package_id)
    sha256 = await asyncio.to_thread(_digest, path)
    await files.put(key, path)
    return KeptArchive(package_id, key, sha256, size)


async def drop(files: FileStore, archive: KeptArchive) -> None:
    await files.delete(archive.key)


async def remove_files(files: FileStore, tenant_id: UUID, sha256: str) -> None:
    """What was unpacked of it, when no package has it any more."""
    await files.delete_below(objects.folder(tenant_id, sha256))


async def remove_tenant(files: FileStore, tenant_id: UUID) -> None:
    """Everything of a tenant, when its rows are gone."""
    for prefix in objects.of_tenant(tenant_id):
        await files.delete_below(prefix)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
