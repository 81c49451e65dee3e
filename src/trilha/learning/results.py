"""What came of an enrollment, module by module, for the learner and for whoever manages learning."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.lists import fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.courses.schema import ModuleType
from trilha.enrollments.answers import INTERACTIONS
from trilha.enrollments.schema import Interaction
from trilha.scorm.runtime.mapping import Completion, Success

# What a learner is shown of answers: nothing, which were right, or the right ones too.
Feedback = Literal["never", "result", "answers"]
_ANSWERS = 100


class AttemptResult(Struct, frozen=True):
    """One try at a module. `score` and `progress` are 0 to 100."""

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


async def list_attempts(tx: Tx, enrollment_id: UUID) -> list[AttemptResult]:
    """In the order of the modules, the latest try first."""
    return await tx.list(
        AttemptResult,
        f"""
        SELECT {columns_of(AttemptResult)} FROM (
            SELECT a.*, m.title AS module_title, m.type AS module_type, m.position
            FROM attempts a JOIN all_modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
            WHERE a.tenant_id = :tenant AND a.enrollment_id = :enrollment_id) AS made
        ORDER BY position, module_id, number DESC
        """,  # noqa: S608
        enrollment_id=enrollment_id,
    )


class _Shown(Struct, frozen=True):
    module_id: UUID
    feedback: Feedback


async def feedback(tx: Tx, enrollment_id: UUID) -> dict[UUID, Feedback]:
    """What its learner is shown, by module: of a quiz as its authors say. Packages show the right answers
    themselves, or do not want to."""
    rows = await tx.list(
        _Shown,
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
    return {each.module_id: each.feedback for each in rows}


class Results(Struct, frozen=True):
    """By module: its tries, on the first page, and a part of the answers. `modules` are those that have some,
    with their titles."""

    modules: Mapping[UUID, str]
    attempts: Mapping[UUID, Sequence[AttemptResult]]
    answers: Mapping[UUID, Sequence[Interaction]]
    next_cursor: str | None


async def get_page(tx: Tx, enrollment_id: UUID, cursor: str | None) -> Results:
    """Raises Invalid (invalid_cursor)."""
    page = await fetch_page(tx, INTERACTIONS, ListQuery(limit=_ANSWERS, cursor=cursor), enrollment_id)
    attempts, answers = defaultdict[UUID, list[Any]](list), defaultdict[UUID, list[Any]](list)
    titles = dict[UUID, str]()
    for attempt in [] if cursor else await list_attempts(tx, enrollment_id):
        titles[attempt.module_id] = attempt.module_title
        attempts[attempt.module_id].append(attempt)
    for answer in page.data:
        titles[answer.module_id] = answer.module_title
        answers[answer.module_id].append(answer)
    return Results(titles, attempts, answers, page.next_cursor)
