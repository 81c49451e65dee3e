"""Checks of this machine: disk, open files, and the file store."""

import os
import resource
import shutil
from collections.abc import AsyncIterator
from uuid import uuid4

from trilha.cli.doctor.findings import Finding, fail, ok, skip, warn
from trilha.settings import Settings

_GIB = 1 << 30
# Below the minimum, large uploads and the embedded database fail soon.
_MINIMUM_BYTES, _LOW_BYTES = _GIB, 5 * _GIB
# Files that a process needs beside its connections.
_OWN_FILES = 256


async def check_disk(current: Settings) -> AsyncIterator[Finding]:
    name = "disk"
    folder = current.data_dir.absolute()
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK | os.X_OK):
        yield fail(
            name,
            f"This user cannot write to {folder}.",
            "Run Trilha as the owner of the data folder, or set TRILHA_DATA_DIR to another one.",
        )
        return
    free = shutil.disk_usage(folder).free
    message = f"{free / _GIB:.1f} GiB are free in {folder}."
    cure = "Make room, or move the data folder to a larger disk (TRILHA_DATA_DIR, TRILHA_FILES_URL)."
    if free < _MINIMUM_BYTES:
        yield fail(name, message, cure)
    elif free < _LOW_BYTES:
        yield warn(name, message, cure)
    else:
        yield ok(name, message)


async def check_open_files(current: Settings) -> AsyncIterator[Finding]:
    name = "open files"
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < current.connections + _OWN_FILES:
        yield warn(
            name,
            f"A process may open {allowed} files, which is fewer than TRILHA_CONNECTIONS "
            f"({current.connections}) needs.",
            "Raise the limit (LimitNOFILE of systemd, ulimit -n), or lower TRILHA_CONNECTIONS.",
        )
    else:
        yield ok(name, "A process may open enough files for TRILHA_CONNECTIONS.")


async def check_file_store(current: Settings) -> AsyncIterator[Finding]:
    """Writes a small file, reads it, and deletes it."""
    name = "file store"
    if not current.files_url and not current.data_dir.exists():
        yield skip(name, "It is created together with the data folder.")
        return
    key, content = f"doctor/{uuid4()}", b"trilha doctor"
    place = current.files_url or str((current.data_dir / "files").absolute())
    try:
        store = current.open_files()
        await store.put(key, content)
        read = b"".join([piece async for piece in store.read(key)])
        await store.delete(key)
    # Each kind of store raises its own errors.
    except Exception as error:
        yield fail(
            name,
            f"{place} cannot be used: {_first_line(error)}",
            "Check TRILHA_FILES_URL, the provider's credentials and region, and the rights to read, write "
            "and delete.",
        )
        return
    if read != content:
        yield fail(name, f"{place} returned other bytes than were written.", "Use another store.")
        return
    yield ok(name, f"A file was written to {place}, read and deleted.")


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:200]
