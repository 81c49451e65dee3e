"""The SQL of attempts at quizzes, of their answers and recordings. The head's lock comes first, as always."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of
from trilha.core.types import dec_hook, to_json
from trilha.learning.quiz_schema import Answer, QuizAttempt, Recording
from trilha.learning.schema import Attempt, Launch
from trilha.quizzes.schema import Question, Quiz
from trilha.scorm.runtime.mapping import State

_ATTEMPT = columns_of(QuizAttempt)


async def insert(tx: Tx, attempt_id: UUID, quiz: Quiz, questions: Sequence[Question]) -> None:
    await tx.execute(
        """
        INSERT INTO quiz_attempts (tenant_id, attempt_id, quiz_id, questions, pass_mark, feedback)
        VALUES (:tenant, :attempt_id, :quiz_id, :questions, :pass_mark, :feedback)
        """,
        attempt_id=attempt_id,
        quiz_id=quiz.id,
        questions=questions,
        pass_mark=quiz.pass_mark,
        feedback=quiz.feedback,
    )


async def find(tx: Tx, attempt_id: UUID) -> QuizAttempt | None:
    rows = await tx.rows(
        f"SELECT {_ATTEMPT} FROM quiz_attempts WHERE tenant_id = :tenant AND attempt_id = :attempt_id",  # noqa: S608
        attempt_id=attempt_id,
    )
    if not rows:
        return None
    members = dict(rows[0])
    questions = msgspec.convert(members.pop("questions"), list[Question], dec_hook=dec_hook)
    return QuizAttempt(questions=questions, **members)


async def list_answers(tx: Tx, attempt_id: UUID) -> dict[UUID, Answer]:
    """By question."""
    found = await tx.list(
        Answer,
        f"""
        SELECT {columns_of(Answer)} FROM quiz_answers
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
        """,  # noqa: S608
        attempt_id=attempt_id,
    )
    return {each.question_id: each for each in found}


async def write_answers(tx: Tx, attempt_id: UUID, answers: Sequence[Answer]) -> None:
    await tx.execute(
        """
        INSERT INTO quiz_answers (tenant_id, attempt_id, question_id, response, latency_seconds, answered_at)
        SELECT :tenant, :attempt_id, new.question_id, new.response::jsonb, new.latency_seconds, :now
        FROM unnest(:questions::uuid[], :responses::text[], :latencies::float8[])
             AS new (question_id, response, latency_seconds)
        ON CONFLICT (tenant_id, attempt_id, question_id) DO UPDATE SET
            response = excluded.response, latency_seconds = excluded.latency_seconds, answered_at = :now
        """,
        attempt_id=attempt_id,
        questions=[each.question_id for each in answers],
        # A list in an array of jsonb would be taken for another dimension.
        responses=[to_json(each.response).decode() for each in answers],
        latencies=[each.latency_seconds for each in answers],
    )


async def delete_answers(tx: Tx, attempt_id: UUID, question_ids: Sequence[UUID]) -> None:
    await tx.execute(
        """
        DELETE FROM quiz_answers
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND question_id = ANY(:question_ids)
        """,
        attempt_id=attempt_id,
        question_ids=question_ids,
    )


async def hand_in(tx: Tx, attempt_id: UUID, points: Mapping[UUID, float | None], *, decided: bool) -> None:
    """The points of what is answered; None awaits a person. `decided`: no answer does."""
    await tx.execute(
        """
        UPDATE quiz_answers SET points = new.points, graded_at = CASE WHEN new.points IS NULL THEN NULL
                                                                      ELSE CAST(:now AS timestamptz) END,
            awaits_since = CASE WHEN new.points IS NULL THEN CAST(:now AS timestamptz) END,
            recording_id = CASE WHEN new.points IS NULL THEN (response #>> '{}')::uuid END,
            course_id = CASE WHEN new.points IS NULL THEN (
                SELECT m.course_id FROM attempts a
                JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
                WHERE a.tenant_id = :tenant AND a.id = :attempt_id) END
        FROM unnest(:questions::uuid[], :points::float8[]) AS new (question_id, points)
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
          AND quiz_answers.question_id = new.question_id
        """,
        attempt_id=attempt_id,
        questions=list(points),
        points=list(points.values()),
    )
    await tx.execute(
        """
        UPDATE quiz_attempts SET handed_in_at = :now,
            graded_at = CASE WHEN :decided THEN CAST(:now AS timestamptz) END
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
        """,
        attempt_id=attempt_id,
        decided=decided,
    )


async def grade(
    tx: Tx, attempt_id: UUID, question_id: UUID, *, points: float, comment: str, graded_by: UUID
) -> None:
    await tx.execute(
        """
        UPDATE quiz_answers SET points = :points, comment = :comment, graded_by = :graded_by,
            graded_at = :now, awaits_since = NULL
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND question_id = :question_id
        """,
        attempt_id=attempt_id,
        question_id=question_id,
        points=points,
        comment=comment,
        graded_by=graded_by,
    )


async def set_graded(tx: Tx, attempt_id: UUID) -> None:
    sql = "UPDATE quiz_attempts SET graded_at = :now WHERE tenant_id = :tenant AND attempt_id = :attempt_id"
    await tx.execute(sql, attempt_id=attempt_id)


async def update_attempt(
    tx: Tx, attempt: Attempt, state: State, *, told: str, launch: Launch | None = None, ended: bool = False
) -> None:
    """`launch` is the one that it comes by; none where a person has graded an answer."""
    await tx.execute(
        """
        UPDATE attempts SET completion = :completion, success = :success, score = :score,
            progress = GREATEST(progress, :progress), told = :told,
            newest_launch = GREATEST(newest_launch, :launch_number),
            terminated = terminated OR :ended,
            ended_at = CASE WHEN :ended THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
        told=told,
        launch_number=launch.number if launch else 0,
        ended=ended,
        **{name: getattr(state, name) for name in ("completion", "success", "score", "progress")},
    )


async def move_launch(tx: Tx, launch_id: UUID, attempt_id: UUID) -> None:
    """It goes on with another attempt."""
    sql = "UPDATE launches SET attempt_id = :attempt_id WHERE tenant_id = :tenant AND id = :launch_id"
    await tx.execute(sql, launch_id=launch_id, attempt_id=attempt_id)


async def find_quiz_id(tx: Tx, module_id: UUID) -> UUID | None:
    """That the module asks now."""
    found: UUID | None = await tx.value(
        """
        SELECT (content ->> 'quiz_id')::uuid FROM modules
        WHERE tenant_id = :tenant AND id = :module_id AND type = 'QUIZ'
        """,
        module_id=module_id,
    )
    return found


async def list_awaiting(tx: Tx, enrollment_id: UUID) -> set[UUID]:
    """The modules whose last attempt awaits a grade."""
    rows = await tx.rows(
        """
        SELECT a.module_id FROM attempts a
        JOIN quiz_attempts q ON q.tenant_id = a.tenant_id AND q.attempt_id = a.id
        WHERE a.tenant_id = :tenant AND a.enrollment_id = :enrollment_id
          AND q.handed_in_at IS NOT NULL AND q.graded_at IS NULL
        """,
        enrollment_id=enrollment_id,
    )
    return {row["module_id"] for row in rows}


async def find_attempt_of(tx: Tx, attempt_id: UUID) -> Attempt | None:
    return await tx.find(
        Attempt,
        f"SELECT {columns_of(Attempt)} FROM attempts WHERE tenant_id = :tenant AND id = :attempt_id",  # noqa: S608
        attempt_id=attempt_id,
    )


async def begun_seconds(tx: Tx, attempt_id: UUID) -> float:
    """How long ago the attempt was begun."""
    seconds: float = await tx.value(
        """
        SELECT extract(epoch FROM CAST(:now AS timestamptz) - started_at)::float8 FROM attempts
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt_id,
    )
    return seconds


_RECORDING = f"SELECT {columns_of(Recording)} FROM voice_recordings WHERE tenant_id = :tenant"  # noqa: S608


async def insert_recording(tx: Tx, recording: Recording) -> None:
    """In the place of the one that the question had: what was replaced is removed by the worker."""
    values: dict[str, Any] = msgspec.structs.asdict(recording)
    await tx.execute(
        """
        WITH replaced AS (
            UPDATE voice_recordings SET removed_at = :now
            WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND question_id = :question_id
              AND removed_at IS NULL)
        INSERT INTO voice_recordings (tenant_id, id, attempt_id, question_id, media_type, size, created_at)
        VALUES (:tenant, :id, :attempt_id, :question_id, :media_type, :size, :now)
        """,
        **values,
    )


async def remove_recordings(tx: Tx, attempt_id: UUID, question_ids: Sequence[UUID]) -> None:
    """The worker deletes the files."""
    await tx.execute(
        """
        UPDATE voice_recordings SET removed_at = :now
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND question_id = ANY(:question_ids)
          AND removed_at IS NULL
        """,
        attempt_id=attempt_id,
        question_ids=question_ids,
    )


async def find_recording(tx: Tx, recording_id: UUID) -> Recording | None:
    """One that is still there."""
    sql = f"{_RECORDING} AND id = :recording_id AND removed_at IS NULL"
    return await tx.find(Recording, sql, recording_id=recording_id)


async def is_recording_kept(tx: Tx, recording_id: UUID) -> bool:
    """Also one that is removed: the worker deletes its file."""
    sql = "SELECT EXISTS (SELECT FROM voice_recordings WHERE tenant_id = :tenant AND id = :recording_id)"
    return bool(await tx.value(sql, recording_id=recording_id))


async def find_recording_of(tx: Tx, attempt_id: UUID, question_id: UUID) -> Recording | None:
    """The one that answers a question of an attempt."""
    return await tx.find(
        Recording,
        f"{_RECORDING} AND attempt_id = :attempt_id AND question_id = :question_id AND removed_at IS NULL",
        attempt_id=attempt_id,
        question_id=question_id,
    )


async def find_answer_of(tx: Tx, launch_id: UUID, question_id: UUID) -> Recording | None:
    """The recording that answers a question of a launch's attempt."""
    sql = "SELECT attempt_id FROM launches WHERE tenant_id = :tenant AND id = :launch_id"
    attempt_id: UUID | None = await tx.value(sql, launch_id=launch_id)
    return await find_recording_of(tx, attempt_id, question_id) if attempt_id else None


async def list_removed(tx: Tx, most: int) -> list[UUID]:
    rows = await tx.rows(
        """
        SELECT id FROM voice_recordings WHERE tenant_id = :tenant AND removed_at IS NOT NULL
        ORDER BY removed_at LIMIT :most
        """,
        most=most,
    )
    return [row["id"] for row in rows]


async def delete_recordings(tx: Tx, ids: Sequence[UUID]) -> None:
    """Those that are removed."""
    await tx.execute(
        """
        DELETE FROM voice_recordings
        WHERE tenant_id = :tenant AND id = ANY(:ids) AND removed_at IS NOT NULL
        """,
        ids=ids,
    )
