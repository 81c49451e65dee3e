"""The SQL of answers to quizzes. The caller holds the lock of the log's head."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.core.types import to_json
from trilha.training.learning.attempts.schema import AssessmentEvent, Attempt
from trilha.training.learning.launches.schema import Launch
from trilha.training.learning.quizzes.schema import Answer, OverdueAttempt
from trilha.training.scorm.runtime.mapping import State


async def list_answers(tx: Tx, attempt_id: UUID) -> dict[UUID, Answer]:
    """Returns the answers by question."""
    answers = await tx.list(
        Answer,
        f"""
        SELECT {columns_of(Answer)} FROM quiz_answers
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
        """,  # noqa: S608
        attempt_id=attempt_id,
    )
    return {answer.question_id: answer for answer in answers}


async def store_answers(tx: Tx, attempt_id: UUID, answers: Sequence[Answer]) -> None:
    await tx.execute(
        """
        INSERT INTO quiz_answers (tenant_id, attempt_id, question_id, response, latency_seconds, answered_at)
        SELECT :tenant, :attempt_id::uuid, new.question_id, new.response::jsonb, new.latency_seconds,
               CAST(:now AS timestamptz)
        FROM unnest(:questions::uuid[], :responses::text[], :latencies::float8[])
             AS new (question_id, response, latency_seconds)
        ON CONFLICT (tenant_id, attempt_id, question_id) DO UPDATE SET
            response = excluded.response, latency_seconds = excluded.latency_seconds,
            answered_at = excluded.answered_at
        """,
        attempt_id=attempt_id,
        questions=[answer.question_id for answer in answers],
        # In an array of jsonb, PostgreSQL would take a list for another dimension.
        responses=[to_json(answer.response).decode() for answer in answers],
        latencies=[answer.latency_seconds for answer in answers],
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


async def hand_in(
    tx: Tx,
    attempt_id: UUID,
    points: Mapping[UUID, float | None],
    answer_ids: Mapping[UUID, UUID],
    bank_ids: Mapping[UUID, UUID | None],
    *,
    decided: bool,
) -> None:
    """Hands the attempt in with the points by question. Answers that await a person (None) have an id in
    `answer_ids`. `bank_ids` are the questions of the bank that were asked. `decided`: none awaits a person.
    """
    await tx.execute(
        """
        UPDATE quiz_answers SET points = new.points, graded_at = CASE WHEN new.points IS NULL THEN NULL
                                                                      ELSE CAST(:now AS timestamptz) END,
            awaits_since = CASE WHEN new.points IS NULL THEN CAST(:now AS timestamptz) END,
            recording_id = new.answer_id, bank_question_id = new.bank_id,
            course_id = CASE WHEN new.points IS NULL THEN (
                SELECT m.course_id FROM attempts a
                JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
                WHERE a.tenant_id = :tenant AND a.id = :attempt_id) END
        FROM unnest(:questions::uuid[], :points::float8[], :answer_ids::uuid[], :bank_ids::uuid[])
             AS new (question_id, points, answer_id, bank_id)
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
          AND quiz_answers.question_id = new.question_id
        """,
        attempt_id=attempt_id,
        questions=list(points),
        points=list(points.values()),
        answer_ids=[answer_ids.get(question_id) for question_id in points],
        bank_ids=[bank_ids.get(question_id) for question_id in points],
    )
    await tx.execute(
        """
        UPDATE quiz_attempts SET handed_in_at = :now, closes_at = NULL,
            graded_at = CASE WHEN :decided THEN CAST(:now AS timestamptz) END
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
        """,
        attempt_id=attempt_id,
        decided=decided,
    )


async def start_time(tx: Tx, attempt_id: UUID, deadline: datetime, closes_at: datetime) -> None:
    """Sets the deadline of an attempt that has none yet."""
    await tx.execute(
        """
        UPDATE quiz_attempts SET deadline_at = :deadline, closes_at = :closes_at
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND deadline_at IS NULL
        """,
        attempt_id=attempt_id,
        deadline=deadline,
        closes_at=closes_at,
    )


async def list_overdue_attempts(tx: Tx, limit: int) -> list[OverdueAttempt]:
    """Lists open attempts whose time is over, in the order of their enrollments.

    One of each person: with two, the batch would lock the person between the enrollments.
    """
    return await tx.list(
        OverdueAttempt,
        """
        SELECT id, enrollment_id FROM (
            SELECT DISTINCT ON (e.user_id) a.id, a.enrollment_id FROM (
                SELECT tenant_id, attempt_id FROM quiz_attempts
                WHERE tenant_id = :tenant AND closes_at <= :now ORDER BY closes_at LIMIT :limit) AS due
            JOIN attempts a ON a.tenant_id = :tenant AND a.id = due.attempt_id
            JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = a.enrollment_id
            ORDER BY e.user_id, a.enrollment_id, a.id) AS first
        ORDER BY enrollment_id, id
        """,
        limit=limit,
    )


async def stop_closing(tx: Tx, attempt_id: UUID) -> None:
    """Lets the worker forget the deadline of an attempt, as of an enrollment that has expired."""
    sql = "UPDATE quiz_attempts SET closes_at = NULL WHERE tenant_id = :tenant AND attempt_id = :attempt_id"
    await tx.execute(sql, attempt_id=attempt_id)


async def update_attempt(
    tx: Tx,
    attempt: Attempt,
    state: State,
    *,
    last_event: AssessmentEvent,
    launch: Launch | None = None,
    ended: bool = False,
) -> None:
    """Stores the state of an attempt. There is no launch if a person has graded an answer."""
    await tx.execute(
        """
        UPDATE attempts SET completion = :completion, success = :success, score = :score,
            progress = GREATEST(progress, :progress), told = :last_event,
            newest_launch = GREATEST(newest_launch, :launch_number),
            terminated = terminated OR :ended,
            ended_at = CASE WHEN :ended THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
        last_event=last_event,
        launch_number=launch.number if launch else 0,
        ended=ended,
        **{name: getattr(state, name) for name in ("completion", "success", "score", "progress")},
    )


async def move_launch(tx: Tx, launch_id: UUID, attempt_id: UUID) -> None:
    """Continues the launch in another attempt."""
    sql = "UPDATE launches SET attempt_id = :attempt_id WHERE tenant_id = :tenant AND id = :launch_id"
    await tx.execute(sql, launch_id=launch_id, attempt_id=attempt_id)


async def get_seconds_since_start(tx: Tx, attempt_id: UUID) -> float:
    """Returns how long ago the attempt was begun."""
    seconds: float = await tx.value(
        """
        SELECT extract(epoch FROM CAST(:now AS timestamptz) - started_at)::float8 FROM attempts
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt_id,
    )
    return seconds


async def remove_recordings(tx: Tx, attempt_id: UUID, question_ids: Sequence[UUID]) -> None:
    """Marks recordings for the worker, which deletes their files."""
    await tx.execute(
        """
        UPDATE voice_recordings SET removed_at = :now
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id AND question_id = ANY(:question_ids)
          AND removed_at IS NULL
        """,
        attempt_id=attempt_id,
        question_ids=question_ids,
    )


async def list_teachers(tx: Tx, course_id: UUID) -> list[UUID]:
    """Returns the instructors of a course."""
    rows = await tx.rows(
        "SELECT user_id FROM course_teachers WHERE tenant_id = :tenant AND course_id = :course_id "
        "ORDER BY user_id",
        course_id=course_id,
    )
    return [row["user_id"] for row in rows]
