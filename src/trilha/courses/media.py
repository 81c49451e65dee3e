"""Uploaded files in the file store: videos, captions, documents. What one is, its own bytes say."""

import asyncio
import hashlib
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from msgspec import Struct

from trilha.core.database import EXHAUSTED, LOST, Database
from trilha.core.errors import invalid
from trilha.core.file_store import FileStore
from trilha.courses import module_queries
from trilha.courses.measuring import measure
from trilha.scorm.package.report import shown

MOST_BYTES = 2048 * 1024 * 1024
_FIRST = 64
_BOM = b"\xef\xbb\xbf"


class KeptMedia(Struct, frozen=True):
    """A file in the store. It is `new` where the store had no such file before. `seconds` of a video and
    `pages` of a document are None where the file does not tell them."""

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
    """Below it is everything of a tenant."""
    return f"media/{tenant_id}"


async def keep(files: FileStore, tenant_id: UUID, path: Path, name: str) -> KeptMedia:
    """A copy of the file, before the transaction that names it. Whoever does not name it calls `drop`.

    Raises Invalid (media_too_large, unknown_media_type).
    """
    size, media_type, sha256 = await asyncio.to_thread(_look_at, path)
    length = await measure(path, media_type)
    place = key(tenant_id, sha256)
    new = await files.size(place) != size
    if new:
        await files.put(place, path)
    return KeptMedia(place, sha256, media_type, size, shown(name), new, length.seconds, length.pages)


async def drop(files: FileStore, database: Database, tenant_id: UUID, kept: KeptMedia) -> None:
    """Unless the file is named: by another upload of the same bytes, or by a COMMIT whose answer was lost.

    Where the database cannot be asked, the file stays.
    """
    if not kept.new:
        return
    with suppress(*LOST, *EXHAUSTED):
        async with database.transaction(tenant_id, read_only=True) as tx:
            named = await module_queries.is_media_kept(tx, kept.sha256)
        if not named:
            await files.delete(kept.key)


def check_readable(kept: KeptMedia, field: str = "file") -> None:
    """Raises Invalid (document_unreadable, video_without_length): what counts of a document or a video is
    told by its pages or its length, which a browser could make up."""
    if kept.media_type == "application/pdf" and kept.pages is None:
        raise invalid(field, "document_unreadable")
    if kept.media_type in ("video/mp4", "video/webm") and kept.seconds is None:
        raise invalid(field, "video_without_length")


def media_type_of(first: bytes) -> str | None:
    """By the first bytes of a file; None for what is not shown here."""
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
    """The media type. Raises Invalid (media_too_large, unknown_media_type)."""
    if size > MOST_BYTES:
        raise invalid("file", "media_too_large")
    media_type = media_type_of(first)
    if media_type is None:
        raise invalid("file", "unknown_media_type")
    return media_type


def _look_at(path: Path) -> tuple[int, str, str]:
    size = path.stat().st_size
    with path.open("rb") as file:
        media_type = judge(size, file.read(_FIRST))
        file.seek(0)
        return size, media_type, hashlib.file_digest(file, "sha256").hexdigest()
