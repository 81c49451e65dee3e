"""The job that deletes the files of removed photos, and what reseals the others."""

from trilha.core.database import Database
from trilha.core.file_store import FileStore
from trilha.core.jobs import oldest
from trilha.core.resealing.files import SealedKind
from trilha.training.practice import photos, queries

_BATCH = 100
SEALED_PHOTOS = SealedKind(
    name="photos of practice",
    select="""
        SELECT id FROM practice_photos
        WHERE tenant_id = :tenant AND id > :after AND removed_at IS NULL
        ORDER BY id LIMIT :limit FOR NO KEY UPDATE
    """,
    key=lambda tenant_id, row: photos.build_key(tenant_id, row["id"]),
)


class RemovePhotos:
    """Deletes files first and rows second, so that a killed worker finds the rows again."""

    name = "remove photos of practice"
    rest = 60.0
    is_logged = True
    _due = oldest("practice_photos", "removed_at IS NOT NULL", "removed_at")

    def __init__(self, files: FileStore) -> None:
        self._files = files

    async def run_once(self, database: Database) -> int:
        tenants = [row["tenant_id"] for row in await database.search(self._due)]
        done = 0
        for tenant_id in tenants:
            async with database.transaction(tenant_id, read_only=True) as tx:
                ids = await queries.list_removed_photos(tx, _BATCH)
            await self._files.delete(*(photos.build_key(tenant_id, id) for id in ids))
            async with database.transaction(tenant_id) as tx:
                await queries.delete_photos(tx, ids)
            done += len(ids)
        return done
