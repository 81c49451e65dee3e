"""The SQL of grades that people give to answers. The caller holds the lock of the log's head."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.training.learning.grading.schema import Correction, StoredAnswer


async def find_answer(tx: Tx, answer_id: UUID) -> StoredAnswer | None:
    """Finds an answer that was handed in for a person to grade."""
    return await tx.find(
        StoredAnswer,
        f"""
        SELECT {columns_of(StoredAnswer)} FROM quiz_answers
        WHERE tenant_id = :tenant AND recording_id = :answer_id
        """,  # noqa: S608
        answer_id=answer_id,
    )


async def store_grade(
    tx: Tx,
    answer: StoredAnswer,
    *,
    points: float,
    rubric_points: Sequence[float] | None,
    comment: str,
    graded_by: UUID,
    corrections: Sequence[Correction],
) -> None:
    await tx.execute(
        """
        UPDATE quiz_answers SET points = :points, rubric_points = :rubric_points, comment = :comment,
            graded_by = :graded_by, graded_at = :now, awaits_since = NULL, corrections = :corrections
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND question_id = :question_id
        """,
        attempt_id=answer.attempt_id,
        question_id=answer.question_id,
        points=points,
        rubric_points=rubric_points,
        comment=comment,
        graded_by=graded_by,
        corrections=corrections,
    )


async def set_attempt_graded(tx: Tx, attempt_id: UUID) -> None:
    sql = "UPDATE quiz_attempts SET graded_at = :now WHERE tenant_id = :tenant AND attempt_id = :attempt_id"
    await tx.execute(sql, attempt_id=attempt_id)
