"""The attempts and answers of an enrollment, by module, for the learner and the administrator."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.lists import fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.training.courses.schema import ModuleType
from trilha.training.enrollments.answers import INTERACTIONS
from trilha.training.enrollments.schema import Interaction
from trilha.training.scorm.runtime.mapping import Completion, Success

# What a learner sees of the answers: nothing, the result of each, or the correct answers too.
Feedback = Literal["never", "result", "answers"]
_PAGE_SIZE = 100


class AttemptResult(Struct, frozen=True):
    """One attempt at a module. `score` and `progress` are from 0 to 100.

    `most_points` are the points that an attempt at a quiz can earn.
    """

    module_id: UUID
    module_title: str
    module_type: ModuleType
    number: int
    completion: Completion
    success: Success
    score: float | None
    progress: float
    started_at: Timestamp
    ended_at: Timestamp | None
    most_points: float | None

    @property
    def points(self) -> float | None:
        """The points that an attempt at a quiz has earned."""
        if self.score is None or self.most_points is None:
            return None
        return round(self.score * self.most_points / 100, 2)


class _AnswerComment(Struct, frozen=True):
    module_id: UUID
    question_id: UUID
    comment: str


class _ModuleFeedback(Struct, frozen=True):
    module_id: UUID
    feedback: Feedback


class Results(Struct, frozen=True):
    """The attempts and one page of the answers, by module. Only the first page holds the attempts.

    `modules` are the titles of the modules that have either. `comments` are what graders wrote, by module and
    question.
    """

    modules: Mapping[UUID, str]
    attempts: Mapping[UUID, Sequence[AttemptResult]]
    answers: Mapping[UUID, Sequence[Interaction]]
    next_cursor: str | None
    comments: Mapping[tuple[UUID, str], str]


async def list_attempts(tx: Tx, enrollment_id: UUID) -> list[AttemptResult]:
    """Lists all attempts in the order of the modules, the latest attempt first."""
    return await tx.list(
        AttemptResult,
        f"""
        SELECT {columns_of(AttemptResult)} FROM (
            SELECT a.*, m.title AS module_title, m.type AS module_type, m.position, (
                SELECT sum(COALESCE((each ->> 'weight')::float8, 1))
                FROM quiz_attempts q CROSS JOIN LATERAL jsonb_array_elements(q.questions) AS each
                WHERE q.tenant_id = :tenant AND q.attempt_id = a.id) AS most_points
            FROM attempts a JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
            WHERE a.tenant_id = :tenant AND a.enrollment_id = :enrollment_id) AS made
        ORDER BY position, module_id, number DESC
        """,  # noqa: S608
        enrollment_id=enrollment_id,
    )


async def list_feedback(tx: Tx, enrollment_id: UUID) -> dict[UUID, Feedback]:
    """Returns what the learner may see of the answers, by module.

    The author of a quiz decides that. Packages show the right answers themselves if they want to.
    """
    rows = await tx.list(
        _ModuleFeedback,
        """
        SELECT DISTINCT ON (a.module_id) a.module_id, COALESCE(q.feedback, 'result') AS feedback
        FROM attempts a
        LEFT JOIN quiz_attempts q ON q.tenant_id = a.tenant_id AND q.attempt_id = a.id
        WHERE a.tenant_id = :tenant AND a.enrollment_id = :enrollment_id
          AND (q.attempt_id IS NULL OR q.handed_in_at IS NOT NULL)
        ORDER BY a.module_id, a.number DESC
        """,
        enrollment_id=enrollment_id,
    )
    return {row.module_id: row.feedback for row in rows}


async def list_comments(tx: Tx, enrollment_id: UUID) -> dict[tuple[UUID, str], str]:
    """Returns graders' comments on the answers of the last attempt that was handed in, by module and
    question.
    """
    comments = await tx.list(
        _AnswerComment,
        """
        WITH latest AS (
            SELECT DISTINCT ON (a.module_id) a.module_id, a.id
            FROM attempts a
            JOIN quiz_attempts q ON q.tenant_id = a.tenant_id AND q.attempt_id = a.id
            WHERE a.tenant_id = :tenant AND a.enrollment_id = :enrollment_id AND q.handed_in_at IS NOT NULL
            ORDER BY a.module_id, a.number DESC)
        SELECT latest.module_id, an.question_id, an.comment
        FROM latest JOIN quiz_answers an ON an.tenant_id = :tenant AND an.attempt_id = latest.id
        WHERE an.comment <> ''
        """,
        enrollment_id=enrollment_id,
    )
    return {(each.module_id, str(each.question_id)): each.comment for each in comments}


async def get_results(tx: Tx, enrollment_id: UUID, cursor: str | None) -> Results:
    """Returns one page of results. Raises Invalid (invalid_cursor)."""
    page = await fetch_page(tx, INTERACTIONS, ListQuery(limit=_PAGE_SIZE, cursor=cursor), enrollment_id)
    attempts, answers = defaultdict[UUID, list[Any]](list), defaultdict[UUID, list[Any]](list)
    titles = dict[UUID, str]()
    for attempt in [] if cursor else await list_attempts(tx, enrollment_id):
        titles[attempt.module_id] = attempt.module_title
        attempts[attempt.module_id].append(attempt)
    for answer in page.data:
        titles[answer.module_id] = answer.module_title
        answers[answer.module_id].append(answer)
    comments = await list_comments(tx, enrollment_id)
    return Results(titles, attempts, answers, page.next_cursor, comments)
