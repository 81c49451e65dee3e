"""The SQL of questions to instructors."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader
from trilha.people.users.reach import TAUGHT
from trilha.training.learner_questions.schema import (
    AnswerTimes,
    OwnQuestion,
    QuestionMessage,
    State,
    Waiting,
)

MAX_RECIPIENTS = 20
_MAX_COUNT = 1000


class LockedQuestion(Struct, frozen=True):
    """A question that is locked until the transaction ends."""

    id: UUID
    enrollment_id: UUID
    user_id: UUID
    course_id: UUID
    state: State


async def lock_asker(tx: Tx, user_id: UUID) -> None:
    """Lets a person ask one question at a time."""
    await tx.execute("SELECT FROM users WHERE tenant_id = :tenant AND id = :id FOR NO KEY UPDATE", id=user_id)


async def lock_question(tx: Tx, id: UUID) -> LockedQuestion:
    """Locks the asker, who must not be erased meanwhile, and then the question. Raises NotFound."""
    await tx.execute(
        """
        SELECT FROM users WHERE tenant_id = :tenant AND id = (
            SELECT user_id FROM learner_questions WHERE tenant_id = :tenant AND id = :id)
        FOR KEY SHARE
        """,
        id=id,
    )
    question = await tx.find(
        LockedQuestion,
        """
        SELECT id, enrollment_id, user_id, course_id, state FROM learner_questions
        WHERE tenant_id = :tenant AND id = :id FOR UPDATE
        """,
        id=id,
    )
    if question is None:
        raise NotFound("learner_question_not_found")
    return question


async def count_messages(tx: Tx, question_id: UUID) -> int:
    count: int = await tx.value(
        "SELECT count(*) FROM learner_question_messages WHERE tenant_id = :tenant AND question_id = :id",
        id=question_id,
    )
    return count


async def count_waiting_of(tx: Tx, user_id: UUID) -> int:
    """Counts a person's questions that wait for an answer."""
    count: int = await tx.value(
        """
        SELECT count(*) FROM learner_questions
        WHERE tenant_id = :tenant AND user_id = :user_id AND state = 'WAITING'
        """,
        user_id=user_id,
    )
    return count


async def insert_question(
    tx: Tx, user_id: UUID, enrollment_id: UUID, course_id: UUID, module_id: UUID | None
) -> UUID:
    id: UUID = await tx.value(
        """
        INSERT INTO learner_questions (tenant_id, enrollment_id, user_id, course_id, module_id, waiting_since,
                                       changed_at, created_at)
        VALUES (:tenant, :enrollment_id, :user_id, :course_id, :module_id, :now, :now, :now) RETURNING id
        """,
        enrollment_id=enrollment_id,
        user_id=user_id,
        course_id=course_id,
        module_id=module_id,
    )
    return id


async def insert_message(
    tx: Tx, question_id: UUID, number: int, user_id: UUID, text: str, *, is_answer: bool
) -> UUID:
    id: UUID = await tx.value(
        """
        INSERT INTO learner_question_messages (tenant_id, question_id, number, user_id, is_answer, text,
                                               created_at)
        VALUES (:tenant, :question_id, :number, :user_id, :is_answer, :text, :now) RETURNING id
        """,
        question_id=question_id,
        number=number,
        user_id=user_id,
        is_answer=is_answer,
        text=text,
    )
    return id


async def set_waiting(tx: Tx, id: UUID) -> None:
    await tx.execute(
        """
        UPDATE learner_questions
        SET state = 'WAITING', waiting_since = COALESCE(waiting_since, :now), changed_at = :now
        WHERE tenant_id = :tenant AND id = :id
        """,
        id=id,
    )


async def set_answered(tx: Tx, id: UUID, *, close: bool) -> None:
    """Ends the waiting; the first answer sets the time by which it is measured."""
    await tx.execute(
        """
        UPDATE learner_questions
        SET state = CASE WHEN CAST(:close AS boolean) THEN 'CLOSED' ELSE 'ANSWERED' END,
            closed_at = CASE WHEN CAST(:close AS boolean) THEN CAST(:now AS timestamptz) END,
            answered_at = COALESCE(answered_at, :now), waiting_since = NULL, changed_at = :now
        WHERE tenant_id = :tenant AND id = :id
        """,
        id=id,
        close=close,
    )


async def close(tx: Tx, id: UUID) -> None:
    await tx.execute(
        """
        UPDATE learner_questions
        SET state = 'CLOSED', closed_at = :now, waiting_since = NULL, changed_at = :now
        WHERE tenant_id = :tenant AND id = :id
        """,
        id=id,
    )


async def set_shared(tx: Tx, id: UUID, *, shared: bool) -> None:
    await tx.execute(
        """
        UPDATE learner_questions
        SET shared_at = CASE WHEN CAST(:shared AS boolean) THEN CAST(:now AS timestamptz) END
        WHERE tenant_id = :tenant AND id = :id
        """,
        id=id,
        shared=shared,
    )


async def may_share(tx: Tx, course_id: UUID) -> bool:
    """Returns whether instructors may show questions of this course to all of its learners."""
    found: bool = await tx.value(
        """
        SELECT EXISTS (SELECT FROM learner_question_sharing
                       WHERE tenant_id = :tenant AND course_id = :course_id)
        """,
        course_id=course_id,
    )
    return found


async def allow_sharing(tx: Tx, course_id: UUID) -> bool:
    """Returns False if the course allows it already."""
    return bool(
        await tx.execute(
            """
            INSERT INTO learner_question_sharing (tenant_id, course_id, updated_at)
            VALUES (:tenant, :course_id, :now) ON CONFLICT DO NOTHING
            """,
            course_id=course_id,
        )
    )


async def forbid_sharing(tx: Tx, course_id: UUID) -> bool:
    """Returns False if the course does not allow it."""
    return bool(
        await tx.execute(
            "DELETE FROM learner_question_sharing WHERE tenant_id = :tenant AND course_id = :course_id",
            course_id=course_id,
        )
    )


async def list_recipients(tx: Tx, course_id: UUID) -> list[UUID]:
    """Returns the instructors to be told of a question, or the administrators if the course has none."""
    teachers = await tx.rows(
        """
        SELECT u.id FROM course_teachers t JOIN users u ON u.tenant_id = :tenant AND u.id = t.user_id
        WHERE t.tenant_id = :tenant AND t.course_id = :course_id AND u.status = 'ACTIVE'
        ORDER BY u.id LIMIT :limit
        """,
        course_id=course_id,
        limit=MAX_RECIPIENTS,
    )
    rows = teachers or await tx.rows(
        """
        SELECT id FROM users WHERE tenant_id = :tenant AND role = 'admin' AND status = 'ACTIVE'
        ORDER BY id LIMIT :limit
        """,
        limit=MAX_RECIPIENTS,
    )
    return [row["id"] for row in rows]


async def list_messages(
    tx: Tx, question_id: UUID, *, names_askers: bool, asked_until: Timestamp | None = None
) -> list[QuestionMessage]:
    """Returns the messages of a question, the oldest first; of its asker only those until then, if given."""
    return await tx.list(
        QuestionMessage,
        """
        SELECT m.number, m.is_answer, m.user_id, m.text, m.created_at,
               CASE WHEN m.is_answer OR CAST(:names_askers AS boolean) THEN u.name END AS author
        FROM learner_question_messages m JOIN users u ON u.tenant_id = :tenant AND u.id = m.user_id
        WHERE m.tenant_id = :tenant AND m.question_id = :question_id
          AND (m.is_answer OR m.created_at <= COALESCE(CAST(:asked_until AS timestamptz), 'infinity'))
        ORDER BY m.number
        """,
        question_id=question_id,
        names_askers=names_askers,
        asked_until=asked_until,
    )


def _limit_to(taught_by: UUID | None, course_id: UUID | None) -> str:
    conditions = [f"course_id = {TAUGHT}"] if taught_by else []
    return " AND ".join(["true", *conditions, *(["course_id = :course"] if course_id else [])])


async def count_waiting(tx: Tx, taught_by: UUID | None, course_id: UUID | None = None) -> Waiting:
    """Counts the questions that wait, in the courses of an instructor or in all, and finds the oldest."""
    waiting = await tx.find(
        Waiting,
        f"""
        SELECT count(*) AS count, min(waiting_since) AS since FROM (
            SELECT waiting_since FROM learner_questions
            WHERE tenant_id = :tenant AND waiting_since IS NOT NULL AND {_limit_to(taught_by, course_id)}
            ORDER BY waiting_since LIMIT {_MAX_COUNT}) AS oldest
        """,  # noqa: S608
        **({"reach_user": taught_by} if taught_by else {}),
        **({"course": course_id} if course_id else {}),
    )
    assert waiting is not None
    return waiting


async def measure_answers(
    tx: Tx, since: datetime, taught_by: UUID | None, course_id: UUID | None = None
) -> AnswerTimes:
    """Measures the time to the first answer of the questions asked since then."""
    times = await tx.find(
        AnswerTimes,
        f"""
        SELECT count(*) AS asked, count(answered_at) AS answered,
               percentile_cont(0.5) WITHIN GROUP (
                   ORDER BY extract(epoch FROM answered_at - created_at) / 60)
                   FILTER (WHERE answered_at IS NOT NULL) AS median_minutes
        FROM learner_questions
        WHERE tenant_id = :tenant AND created_at >= :since AND {_limit_to(taught_by, course_id)}
        """,  # noqa: S608
        since=since,
        **({"reach_user": taught_by} if taught_by else {}),
        **({"course": course_id} if course_id else {}),
    )
    assert times is not None
    return times


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes the texts of a person's questions with their answers. The dates stay for inspectors."""
    await tx.execute(
        """
        UPDATE learner_question_messages SET text = NULL
        WHERE tenant_id = :tenant AND text IS NOT NULL AND question_id IN (
            SELECT id FROM learner_questions WHERE tenant_id = :tenant AND user_id = :user_id)
        """,
        user_id=user_id,
    )
    await tx.execute(
        """
        UPDATE learner_questions
        SET shared_at = NULL, state = 'CLOSED', waiting_since = NULL, changed_at = :now,
            closed_at = COALESCE(closed_at, :now)
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
    )


_PAGE_SIZE = 200


async def _list_own(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[OwnQuestion]]:
    """Oldest first."""
    after: Timestamp | None = None
    after_id: UUID | None = None
    while True:
        async with reader.transaction() as tx:
            page = await tx.list(
                OwnQuestion,
                """
                SELECT q.id, q.state, q.created_at, (
                           SELECT title FROM courses c
                           WHERE c.tenant_id = :tenant AND c.id = q.course_id) AS course,
                       ARRAY(SELECT m.text FROM learner_question_messages m
                             WHERE m.tenant_id = :tenant AND m.question_id = q.id AND m.text IS NOT NULL
                             ORDER BY m.number) AS messages
                FROM learner_questions q
                WHERE q.tenant_id = :tenant AND q.user_id = :user_id
                  AND (CAST(:after AS timestamptz) IS NULL
                       OR (q.created_at, q.id) > (CAST(:after AS timestamptz), CAST(:after_id AS uuid)))
                ORDER BY q.created_at, q.id LIMIT :limit
                """,
                user_id=user_id,
                limit=_PAGE_SIZE,
                after=after,
                after_id=after_id,
            )
        yield page
        if len(page) < _PAGE_SIZE:
            return
        after, after_id = page[-1].created_at, page[-1].id


EXPORT = (ExportPart("learner_questions", OwnQuestion, _list_own),)
