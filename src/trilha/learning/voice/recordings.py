"""Voice answers: a recording is kept as soon as it arrives, and heard by whoever grades it."""

import asyncio
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid4

from trilha.core.database import EXHAUSTED, LOST, Database
from trilha.core.errors import invalid
from trilha.core.sealed_files import SealedFiles
from trilha.learning.voice import queries
from trilha.learning.voice.schema import KeptVoice

# Ten minutes at 256 kbit/s, the most that browsers record with.
MOST_BYTES = 20 * 1024 * 1024

_FIRST = 64


def key(tenant_id: UUID, recording_id: UUID) -> str:
    return f"{of_tenant(tenant_id)}/{recording_id}"


def of_tenant(tenant_id: UUID) -> str:
    """Below it is everything of a tenant."""
    return f"voice/{tenant_id}"


def media_type_of(first: bytes) -> str | None:
    """Of a recording, by its first bytes: what browsers record, and what phones keep. None for anything
    else."""
    if first.startswith(b"\x1a\x45\xdf\xa3"):
        return "audio/webm"
    if first.startswith(b"OggS"):
        return "audio/ogg"
    if first[4:8] == b"ftyp":
        return "audio/mp4"
    if first.startswith(b"RIFF") and first[8:12] == b"WAVE":
        return "audio/wav"
    if first.startswith(b"ID3") or (len(first) > 1 and first[0] == 0xFF and first[1] & 0xE6 == 0xE2):
        return "audio/mpeg"
    return None


def judge(size: int, first: bytes) -> str:
    """The media type. Raises Invalid (recording_too_large, unknown_recording, required)."""
    if not size:
        raise invalid("recording", "required")
    if size > MOST_BYTES:
        raise invalid("recording", "recording_too_large")
    if (media_type := media_type_of(first)) is None:
        raise invalid("recording", "unknown_recording")
    return media_type


async def keep(files: SealedFiles, tenant_id: UUID, content: bytes | Path) -> KeptVoice:
    """A copy, before the transaction that names it. Whoever does not name it calls `drop`.

    Raises as `judge`.
    """
    size, first = await asyncio.to_thread(_look_at, content)
    kept = KeptVoice(uuid4(), judge(size, first), size)
    read = content if isinstance(content, bytes) else await asyncio.to_thread(content.read_bytes)
    await files.put(key(tenant_id, kept.id), read)
    return kept


async def drop(files: SealedFiles, database: Database, tenant_id: UUID, kept: KeptVoice) -> None:
    """Unless a COMMIT whose answer was lost names it. Where the database cannot be asked, the file stays."""
    with suppress(*LOST, *EXHAUSTED):
        async with database.transaction(tenant_id, read_only=True) as tx:
            named = await queries.is_recording_kept(tx, kept.id)
        if not named:
            await files.delete(key(tenant_id, kept.id))


def _look_at(content: bytes | Path) -> tuple[int, bytes]:
    if isinstance(content, bytes):
        return len(content), content[:_FIRST]
    with content.open("rb") as file:
        return content.stat().st_size, file.read(_FIRST)
