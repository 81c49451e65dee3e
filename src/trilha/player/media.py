"""The media files of a module: videos with their captions, documents, images of articles."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.web.answers import Answer
from trilha.core.web.callers import Caller
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import Routes
from trilha.courses import media, module_queries
from trilha.learning.studies import materials
from trilha.player.files import KEPT
from trilha.player.identity import OF_LIVE_LAUNCH, get_context

routes = Routes("Media", "What modules show.")


@routes.get("/l/{token}/media/{file_id}", access=OF_LIVE_LAUNCH)
async def get_media_file(tx: Tx, caller: Caller, files: FileStore, token: str, file_id: UUID) -> Answer:
    """One file of the launch's module, whole or in part."""
    if file_id not in await materials.list_file_ids(tx, get_context(caller).launch_id):
        raise NotFound("file_not_found")
    found = await module_queries.get_media(tx, file_id)
    return StoredFile(
        files,
        media.key(tx.tenant_id, found.sha256),
        found.size,
        found.media_type,
        etag=found.sha256[:32],
        headers=KEPT,
    )
