"""Stores the files of recordings, before the transaction in which they answer a question."""

import asyncio
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid4

from trilha.core.audio import detect_media_type
from trilha.core.database import CONNECTION_ERRORS, RESOURCE_ERRORS, Database
from trilha.core.errors import invalid
from trilha.core.sealed_files import SealedFiles
from trilha.training.learning.voice_answers import queries
from trilha.training.learning.voice_answers.schema import StoredRecording

# Ten minutes at 256 kbit/s, the highest rate at which browsers record.
MAX_BYTES = 20 * 1024 * 1024
_START_BYTES = 64


def build_key(tenant_id: UUID, recording_id: UUID) -> str:
    return f"{build_tenant_prefix(tenant_id)}/{recording_id}"


def build_tenant_prefix(tenant_id: UUID) -> str:
    """Returns the prefix of all keys of a tenant."""
    return f"voice/{tenant_id}"


def check_recording(size: int, first: bytes) -> str:
    """Returns the media type. Raises Invalid (recording_too_large, unknown_recording, required)."""
    if not size:
        raise invalid("recording", "required")
    if size > MAX_BYTES:
        raise invalid("recording", "recording_too_large")
    if (media_type := detect_media_type(first)) is None:
        raise invalid("recording", "unknown_recording")
    return media_type


async def store_recording(files: SealedFiles, tenant_id: UUID, content: bytes | Path) -> StoredRecording:
    """Stores a copy. If no answer names it in the end, the caller calls `delete_unused_recording`.

    Raises what `check_recording` raises.
    """
    size, first = await asyncio.to_thread(_read_start, content)
    stored = StoredRecording(uuid4(), check_recording(size, first), size)
    data = content if isinstance(content, bytes) else await asyncio.to_thread(content.read_bytes)
    await files.put(build_key(tenant_id, stored.id), data)
    return stored


async def delete_unused_recording(
    files: SealedFiles, database: Database, tenant_id: UUID, stored: StoredRecording
) -> None:
    """Deletes the file unless an answer names it, as after a COMMIT whose confirmation was lost.

    The file stays if the database does not answer.
    """
    with suppress(*CONNECTION_ERRORS, *RESOURCE_ERRORS):
        async with database.transaction(tenant_id, read_only=True) as tx:
            used = await queries.is_recording_stored(tx, stored.id)
        if not used:
            await files.delete(build_key(tenant_id, stored.id))


def _read_start(content: bytes | Path) -> tuple[int, bytes]:
    if isinstance(content, bytes):
        return len(content), content[:_START_BYTES]
    with content.open("rb") as file:
        return content.stat().st_size, file.read(_START_BYTES)
