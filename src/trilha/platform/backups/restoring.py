"""Restores a backup into an empty installation, and tries that in a database that is thrown away."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.file_store import FileStore
from trilha.core.secrets import Keyring
from trilha.platform.backups.destination import BackupError, Destination, file_list
from trilha.platform.backups.loading import compare_database, holds_tenants, load_database
from trilha.platform.backups.schema import Check, Manifest, RestoreResult, StoredFile

_FILES_AT_ONCE = 8
Report = Callable[[str], None]
# Checks the logs of evidence in a restored database, and the files that its rows name. Returns the number of
# logs, and problems.
CheckContent = Callable[[str, set[str]], Awaitable[tuple[int, list[str]]]]


def opens_with(keyring: Keyring, manifest: Manifest) -> bool:
    """Returns whether these master keys open the backup's database."""
    return keyring.proves([bytes.fromhex(proof) for proof in manifest.proofs])


async def restore(
    url: str,
    files: FileStore,
    destination: Destination,
    manifest: Manifest,
    report: Report,
    *,
    overwrite: bool,
    paused: bool,
) -> RestoreResult:
    """Restores the files and then the database, so that an interrupted restore leaves no tenant.

    Raises BackupError, MigrationError.
    """
    began = time.monotonic()
    if not overwrite and await holds_tenants(url):
        raise BackupError("This database has tenants; restore into an empty one, or add --overwrite.")
    count = 0
    async for batch in _list_files(destination, manifest):
        await _side_by_side(batch, lambda file: _restore_file(destination, files, file))
        count += len(batch)
        report(f"files: {count} of {manifest.files}")
    await files.settle()
    rows = await load_database(url, destination, manifest, report, paused=paused)
    seconds = round(time.monotonic() - began, 1)
    return RestoreResult(manifest.id, len(manifest.tables), rows, count, seconds)


async def verify(
    destination: Destination, manifest: Manifest, report: Report, check_content: CheckContent | None
) -> Check:
    """Restores the database into a server of its own and compares it, and reads every file.

    Without `check_content`, because the master key is not at hand, the logs of evidence are not checked.
    """
    began, problems, keys = time.monotonic(), [], set()

    async def check_file(file: StoredFile) -> None:
        try:
            async for _ in destination.read_file(file.name, file.size):
                pass
        except BackupError as error:
            problems.append(f"{file.key}: {error}")

    async for batch in _list_files(destination, manifest):
        await _side_by_side(batch, check_file)
        keys |= {file.key for file in batch}
        report(f"files: {len(keys)} of {manifest.files}")
    logs = None
    with tempfile.TemporaryDirectory() as folder:
        await asyncio.to_thread(Path(folder).chmod, 0o711)  # PostgreSQL may run as another user
        server = EmbeddedPostgres(Path(folder))
        try:
            await asyncio.to_thread(server.start)
            await load_database(server.url, destination, manifest, report)
            problems += await compare_database(server.url, manifest)
            if check_content:
                logs, found = await check_content(server.url, keys)
                problems += found
        except BackupError as error:
            problems.append(str(error))
        finally:
            await asyncio.to_thread(server.stop)
    return Check(
        manifest.id,
        len(manifest.tables),
        sum(table.rows for table in manifest.tables),
        manifest.files,
        logs,
        problems,
        round(time.monotonic() - began, 1),
    )


async def _list_files(destination: Destination, manifest: Manifest) -> AsyncIterator[list[StoredFile]]:
    for number in range(manifest.file_lists):
        yield await destination.read_value(file_list(manifest.id, number), list[StoredFile])


async def _restore_file(destination: Destination, files: FileStore, file: StoredFile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "file"
        with await asyncio.to_thread(draft.open, "xb") as opened:
            async for piece in destination.read_file(file.name, file.size):
                opened.write(piece)
        await files.move(file.key, draft)


async def _side_by_side(files: list[StoredFile], work: Callable[[StoredFile], Awaitable[None]]) -> None:
    turns = asyncio.Semaphore(_FILES_AT_ONCE)

    async def take_turn(file: StoredFile) -> None:
        async with turns:
            await work(file)

    async with asyncio.TaskGroup() as tasks:
        for file in files:
            tasks.create_task(take_turn(file))
