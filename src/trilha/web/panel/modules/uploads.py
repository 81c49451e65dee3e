"""Stores files that authors upload: first in the file store, then in the database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.web.uploads import UploadedFile
from trilha.training.courses import media
from trilha.training.courses.media import StoredMedia
from trilha.training.courses.media import insert as insert
from trilha.web.panel.view import PanelView


@asynccontextmanager
async def keep_file(
    view: PanelView, files: FileStore, uploaded: UploadedFile | None, field: str, accepted: Sequence[str]
) -> AsyncIterator[StoredMedia]:
    """Stores the file for the block. If the block fails, the file is deleted unless something else uses it.

    Raises Invalid (required, wrong_media_type, document_unreadable, video_without_length,
    media_too_large).
    """
    if uploaded is None:
        raise invalid(field, "required")
    stored = await media.keep_readable(
        files, view.database, view.tenant_id, uploaded.path, uploaded.filename, accepted, field
    )
    try:
        yield stored
    except BaseException:
        await media.drop(files, view.database, view.tenant_id, stored)
        raise
