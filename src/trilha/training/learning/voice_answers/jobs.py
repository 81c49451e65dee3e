"""The jobs that reseal the files of recordings and delete removed recordings."""

from trilha.core.database import Database
from trilha.core.file_store import FileStore
from trilha.core.jobs import oldest
from trilha.core.resealing.files import SealedKind
from trilha.training.learning.voice_answers import queries, recordings

_BATCH = 100
SEALED_RECORDINGS = SealedKind(
    name="recordings",
    select="""
        SELECT id FROM voice_recordings
        WHERE tenant_id = :tenant AND id > :after AND removed_at IS NULL
        ORDER BY id LIMIT :limit FOR NO KEY UPDATE
    """,
    key=lambda tenant_id, row: recordings.build_key(tenant_id, row["id"]),
)


class RemoveRecordings:
    """Deletes files first and rows second, so that a killed worker finds the rows again."""

    name = "remove recordings"
    rest = 60.0
    is_logged = True
    _due = oldest("voice_recordings", "removed_at IS NOT NULL", "removed_at")

    def __init__(self, files: FileStore) -> None:
        self._files = files

    async def run_once(self, database: Database) -> int:
        tenants = [row["tenant_id"] for row in await database.search(self._due)]
        done = 0
        for tenant_id in tenants:
            async with database.transaction(tenant_id, read_only=True) as tx:
                ids = await queries.list_removed_recordings(tx, _BATCH)
            await self._files.delete(*(recordings.build_key(tenant_id, id) for id in ids))
            async with database.transaction(tenant_id) as tx:
                await queries.delete_recordings(tx, ids)
            done += len(ids)
        return done
