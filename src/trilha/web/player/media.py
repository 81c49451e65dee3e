"""Sends the media files of a module: videos with their captions, documents, images of articles."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.web.answers import Answer
from trilha.core.web.callers import Caller
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import Routes
from trilha.training.courses import media, module_queries
from trilha.training.learning.studies import materials
from trilha.web.player.files import CACHE_HEADERS
from trilha.web.player.identity import OF_LIVE_LAUNCH, get_context

routes = Routes("Media", "The media files of modules.")


@routes.get("/l/{token}/media/{file_id}", access=OF_LIVE_LAUNCH)
async def get_media_file(tx: Tx, caller: Caller, files: FileStore, token: str, file_id: UUID) -> Answer:
    """Send a file of the launch's module, whole or in part."""
    if file_id not in await materials.list_file_ids(tx, get_context(caller).launch_id):
        raise NotFound("file_not_found")
    file = await module_queries.get_media(tx, file_id)
    return StoredFile(
        files,
        media.key(tx.tenant_id, file.sha256),
        file.size,
        file.media_type,
        etag=file.sha256[:32],
        headers=CACHE_HEADERS,
    )
