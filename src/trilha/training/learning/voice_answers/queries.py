"""The SQL of recordings."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of
from trilha.training.learning.voice_answers.schema import Recording

_RECORDING = f"SELECT {columns_of(Recording)} FROM voice_recordings WHERE tenant_id = :tenant"  # noqa: S608


async def insert_recording(tx: Tx, recording: Recording) -> None:
    """Replaces the question's earlier recording, which the worker deletes."""
    await tx.execute(
        """
        WITH replaced AS (
            UPDATE voice_recordings SET removed_at = :now
            WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND question_id = :question_id
              AND removed_at IS NULL)
        INSERT INTO voice_recordings (tenant_id, id, attempt_id, question_id, media_type, size, created_at)
        VALUES (:tenant, :id, :attempt_id, :question_id, :media_type, :size, :now)
        """,
        **msgspec.structs.asdict(recording),
    )


async def find_recording(tx: Tx, recording_id: UUID) -> Recording | None:
    """Finds a recording that is not marked as removed."""
    sql = f"{_RECORDING} AND id = :recording_id AND removed_at IS NULL"
    return await tx.find(Recording, sql, recording_id=recording_id)


async def is_recording_stored(tx: Tx, recording_id: UUID) -> bool:
    """Returns True also for a recording that is marked as removed: the worker deletes its file."""
    sql = "SELECT EXISTS (SELECT FROM voice_recordings WHERE tenant_id = :tenant AND id = :recording_id)"
    return bool(await tx.value(sql, recording_id=recording_id))


async def find_recording_of_question(tx: Tx, attempt_id: UUID, question_id: UUID) -> Recording | None:
    """Finds the recording that answers a question of an attempt."""
    return await tx.find(
        Recording,
        f"{_RECORDING} AND attempt_id = :attempt_id AND question_id = :question_id AND removed_at IS NULL",
        attempt_id=attempt_id,
        question_id=question_id,
    )


async def find_recording_of_launch(tx: Tx, launch_id: UUID, question_id: UUID) -> Recording | None:
    """Finds the recording that answers a question of a launch's attempt."""
    sql = "SELECT attempt_id FROM launches WHERE tenant_id = :tenant AND id = :launch_id"
    attempt_id: UUID | None = await tx.value(sql, launch_id=launch_id)
    return await find_recording_of_question(tx, attempt_id, question_id) if attempt_id else None


async def list_removed_recordings(tx: Tx, limit: int) -> list[UUID]:
    """Lists recordings that are marked as removed, the oldest first."""
    rows = await tx.rows(
        """
        SELECT id FROM voice_recordings WHERE tenant_id = :tenant AND removed_at IS NOT NULL
        ORDER BY removed_at LIMIT :limit
        """,
        limit=limit,
    )
    return [row["id"] for row in rows]


async def delete_recordings(tx: Tx, ids: Sequence[UUID]) -> None:
    """Deletes those of the rows that are marked as removed."""
    await tx.execute(
        """
        DELETE FROM voice_recordings
        WHERE tenant_id = :tenant AND id = ANY(:ids) AND removed_at IS NOT NULL
        """,
        ids=ids,
    )
