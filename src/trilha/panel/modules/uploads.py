"""Files that authors send, in the store and then in the database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.web.uploads import UploadedFile
from trilha.courses import media, module_queries
from trilha.courses.media import KeptMedia
from trilha.courses.schema import MediaFile
from trilha.panel.view import PanelView


@asynccontextmanager
async def keep_file(
    view: PanelView, files: FileStore, uploaded: UploadedFile | None, field: str, accepted: Sequence[str]
) -> AsyncIterator[KeptMedia]:
    """The file in the store; it is gone again where the block fails and nothing else names it.

    Raises Invalid (required, wrong_media_type, document_unreadable, video_without_length,
    media_too_large).
    """
    if uploaded is None:
        raise invalid(field, "required")
    if media.look_at_type(uploaded.path) not in accepted:
        raise invalid(field, "wrong_media_type")
    found = await media.keep(files, view.tenant_id, uploaded.path, uploaded.filename)
    try:
        media.check_readable(found, field)
        yield found
    except BaseException:
        await media.drop(files, view.database, view.tenant_id, found)
        raise


async def insert(tx: Tx, found: KeptMedia) -> MediaFile:
    names = ("sha256", "media_type", "size", "name", "seconds", "pages")
    return await module_queries.insert_media(tx, **{name: getattr(found, name) for name in names})
