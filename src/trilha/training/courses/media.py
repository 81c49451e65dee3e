"""Uploaded files in the file store: videos, captions, documents. Their bytes decide the media type."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.audio import detect_media_type
from trilha.core.database import CONNECTION_ERRORS, RESOURCE_ERRORS, Database, Tx
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.platform.tenants.quotas import actions as quotas
from trilha.training.courses import module_queries
from trilha.training.courses.measuring import measure
from trilha.training.courses.schema import MediaFile
from trilha.training.scorm.package.report import clean_text

MAX_BYTES = 2048 * 1024 * 1024
MAX_AUDIO_BYTES = 20 * 1024 * 1024
AUDIO_TYPES = ("audio/webm", "audio/ogg", "audio/mp4", "audio/wav", "audio/mpeg")
_FIRST = 64
_BOM = b"\xef\xbb\xbf"


class StoredMedia(Struct, frozen=True):
    """A file in the store. `new`: the store did not have it before. `seconds` of a video and `pages` of a
    document are None if the file does not hold them.
    """

    key: str
    sha256: str
    media_type: str
    size: int
    name: str
    new: bool
    seconds: float | None = None
    pages: int | None = None


def key(tenant_id: UUID, sha256: str) -> str:
    return f"{of_tenant(tenant_id)}/{sha256}"


def of_tenant(tenant_id: UUID) -> str:
    """Returns the folder of all media files of a tenant."""
    return f"media/{tenant_id}"


async def keep(files: FileStore, tenant_id: UUID, path: Path, name: str) -> StoredMedia:
    """Stores a copy of the file before the transaction that refers to it. A caller that does not refer to it
    calls `drop`.

    Raises Invalid (media_too_large, unknown_media_type).
    """
    size, media_type, sha256 = await asyncio.to_thread(_look_at, path, judge)
    length = await measure(path, media_type)
    stored = await _put(files, tenant_id, path, name, size, media_type, sha256)
    return structs.replace(stored, seconds=length.seconds, pages=length.pages)


async def keep_readable(
    files: FileStore,
    database: Database,
    tenant_id: UUID,
    path: Path,
    name: str,
    accepted: Sequence[str],
    field: str = "file",
) -> StoredMedia:
    """Stores a file as `keep` does, if it is of an `accepted` media type and a module can show it.

    Raises Invalid (wrong_media_type, document_unreadable, video_without_length, media_too_large).
    """
    if await asyncio.to_thread(look_at_type, path) not in accepted:
        raise invalid(field, "wrong_media_type")
    stored = await keep(files, tenant_id, path, name)
    try:
        check_readable(stored, field)
    except BaseException:
        await drop(files, database, tenant_id, stored)
        raise
    return stored


async def insert(tx: Tx, stored: StoredMedia) -> MediaFile:
    """Raises BusinessRule (quota_exceeded)."""
    await quotas.check_storage(tx, stored.size)
    names = ("sha256", "media_type", "size", "name", "seconds", "pages")
    return await module_queries.insert_media(tx, **{name: getattr(stored, name) for name in names})


async def keep_audio(
    files: FileStore, tenant_id: UUID, path: Path, name: str, field: str = "file"
) -> StoredMedia:
    """Stores audio as `keep` does. Raises Invalid (audio_too_large, unknown_audio)."""
    size, media_type, sha256 = await asyncio.to_thread(_look_at, path, partial(judge_audio, field=field))
    return await _put(files, tenant_id, path, name, size, media_type, sha256)


async def _put(
    files: FileStore, tenant_id: UUID, path: Path, name: str, size: int, media_type: str, sha256: str
) -> StoredMedia:
    place = key(tenant_id, sha256)
    new = await files.size(place) != size
    if new:
        await files.put(place, path)
    return StoredMedia(place, sha256, media_type, size, clean_text(name), new)


async def drop(files: FileStore, database: Database, tenant_id: UUID, media: StoredMedia) -> None:
    """Deletes the file unless a row refers to it: another upload of the same bytes, or a COMMIT whose answer
    was lost.

    If the database is unavailable, the file stays.
    """
    if not media.new:
        return
    with suppress(*CONNECTION_ERRORS, *RESOURCE_ERRORS):
        async with database.transaction(tenant_id, read_only=True) as tx:
            named = await module_queries.is_media_stored(tx, media.sha256)
        if not named:
            await files.delete(media.key)


def check_readable(media: StoredMedia, field: str = "file") -> None:
    """Raises Invalid (document_unreadable, video_without_length). Progress in a document or video depends on
    its pages or duration, and the browser must not be trusted for either.
    """
    if media.media_type == "application/pdf" and media.pages is None:
        raise invalid(field, "document_unreadable")
    if media.media_type in ("video/mp4", "video/webm") and media.seconds is None:
        raise invalid(field, "video_without_length")


def media_type_of(first: bytes) -> str | None:
    """Detects the media type from a file's first bytes; None if the player does not support it."""
    if first[4:8] == b"ftyp":
        return "video/mp4"
    if first.startswith(b"\x1a\x45\xdf\xa3"):
        return "video/webm" if b"webm" in first else None
    if first.startswith(b"%PDF-"):
        return "application/pdf"
    if first.startswith(b"RIFF") and first[8:12] == b"WEBP":
        return "image/webp"
    text = first.removeprefix(_BOM)
    return "text/vtt" if text[:6] == b"WEBVTT" and text[6:7] in b" \t\r\n" else None


def look_at_type(path: Path) -> str | None:
    with path.open("rb") as file:
        return media_type_of(file.read(_FIRST))


def judge(size: int, first: bytes) -> str:
    """Returns the media type. Raises Invalid (media_too_large, unknown_media_type)."""
    if size > MAX_BYTES:
        raise invalid("file", "media_too_large")
    media_type = media_type_of(first)
    if media_type is None:
        raise invalid("file", "unknown_media_type")
    return media_type


def judge_audio(size: int, first: bytes, field: str = "file") -> str:
    """Returns the media type. Raises Invalid (audio_too_large, unknown_audio)."""
    if size > MAX_AUDIO_BYTES:
        raise invalid(field, "audio_too_large")
    if (media_type := detect_media_type(first)) is None:
        raise invalid(field, "unknown_audio")
    return media_type


def _look_at(path: Path, judge: Callable[[int, bytes], str]) -> tuple[int, str, str]:
    size = path.stat().st_size
    with path.open("rb") as file:
        media_type = judge(size, file.read(_FIRST))
        file.seek(0)
        return size, media_type, hashlib.file_digest(file, "sha256").hexdigest()
