"""Removes old backups, and the files that no backup needs any more."""

from msgspec import Struct

from trilha.platform.backups import queries
from trilha.platform.backups.destination import Destination, file_list
from trilha.platform.backups.schema import StoredFile


class PruneResult(Struct, frozen=True):
    removed: list[str]
    unfinished: int
    files: int


async def prune(url: str, destination: Destination, keep: int) -> PruneResult:
    """Keeps the latest complete backups. Raises BackupError, also while a backup is being made."""
    async with queries.lock(url):
        ids, unfinished = await destination.list_ids()
        removed = ids[:-keep]
        # Unfinished ones are of runs that ended, because this one holds the lock.
        for id in (*removed, *unfinished):
            await destination.delete_backup(id)
        needed: set[str] = set()
        for id in ids[-keep:]:
            manifest = await destination.read_manifest(id)
            for number in range(manifest.file_lists):
                pieces = await destination.read_value(file_list(id, number), list[StoredFile])
                needed |= {file.name for file in pieces}
        useless = await destination.list_names() - needed
        await destination.delete(*useless)
        return PruneResult(removed, len(unfinished), len(useless))
