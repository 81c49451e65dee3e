"""Stores files that authors upload: first in the file store, then in the database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.core.web.uploads import UploadedFile
from trilha.platform.tenants.quotas import actions as quotas
from trilha.training.courses import media, module_queries
from trilha.training.courses.media import StoredMedia
from trilha.training.courses.schema import MediaFile
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
    if media.look_at_type(uploaded.path) not in accepted:
        raise invalid(field, "wrong_media_type")
    stored = await media.keep(files, view.tenant_id, uploaded.path, uploaded.filename)
    try:
        media.check_readable(stored, field)
        yield stored
    except BaseException:
        await media.drop(files, view.database, view.tenant_id, stored)
        raise


async def insert(tx: Tx, stored: StoredMedia) -> MediaFile:
    """Raises BusinessRule (quota_exceeded)."""
    await quotas.check_storage(tx, stored.size)
    names = ("sha256", "media_type", "size", "name", "seconds", "pages")
    return await module_queries.insert_media(tx, **{name: getattr(stored, name) for name in names})
