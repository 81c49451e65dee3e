"""The SQL of voice answers, as whoever grades them reads it."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery, Order, Page, fetch_page


class VoiceQuery(ListQuery, frozen=True, kw_only=True):
    """Those that await a grade, the oldest first; or those that have one, the newest first."""

    state: Literal["awaiting", "graded"] = "awaiting"
    course: UUID | None = None


class VoiceAnswer(Struct, frozen=True):
    """`id` is of the recording. `at` is when it was handed in, or graded. `decided`: the score of its attempt
    is, and the grade stays."""

    id: UUID
    course_id: UUID
    course_title: str
    module_title: str
    user_id: UUID
    user_name: str
    enrollment_id: UUID
    attempt: int
    question: str
    weight: float
    media_type: str
    size: int
    points: float | None
    comment: str
    decided: bool
    at: Timestamp


# Of each state, what an index holds and in what order.
_STATES = {
    "awaiting": ("awaits_since IS NOT NULL", "awaits_since"),
    "graded": ("graded_by IS NOT NULL", "graded_at"),
}


def _select(held: str, at: str) -> str:
    """Of answers, walked in the order of an index: the rest of each is looked up until the page is full, as
    decision 27 has it. A module that was removed has a title still: it is among all_modules."""
    return f"""
    SELECT {columns_of(VoiceAnswer)} FROM (
        SELECT attempt_id, question_id, recording_id AS id, course_id, points, comment, {at} AS at
        FROM quiz_answers WHERE tenant_id = :tenant AND recording_id IS NOT NULL AND {held}) AS an
    CROSS JOIN LATERAL (
        SELECT c.title AS course_title, m.title AS module_title, u.id AS user_id, u.name AS user_name,
               e.id AS enrollment_id, a.number AS attempt, asked.question, asked.weight, r.media_type, r.size,
               qa.graded_at IS NOT NULL AS decided
        FROM quiz_attempts qa
        JOIN voice_recordings r ON r.tenant_id = :tenant AND r.id = an.id AND r.removed_at IS NULL
        JOIN attempts a ON a.tenant_id = :tenant AND a.id = an.attempt_id
        JOIN all_modules m ON m.tenant_id = :tenant AND m.id = a.module_id
        JOIN enrollments e ON e.tenant_id = :tenant AND e.id = a.enrollment_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = e.course_id
        JOIN users u ON u.tenant_id = :tenant AND u.id = e.user_id
        JOIN LATERAL (
            SELECT each ->> 'text' AS question, COALESCE((each ->> 'weight')::float8, 1) AS weight
            FROM jsonb_array_elements(qa.questions) AS each
            WHERE each ->> 'id' = an.question_id::text) AS asked ON true
        WHERE qa.tenant_id = :tenant AND qa.attempt_id = an.attempt_id AND qa.handed_in_at IS NOT NULL
        OFFSET 0) AS found
    WHERE true
    """  # noqa: S608


_TAUGHT = """course_id = ANY(ARRAY(
    SELECT taught.course_id FROM course_teachers AS taught
    WHERE taught.tenant_id = :tenant AND taught.user_id = :taught_by))"""


async def list_page(tx: Tx, query: VoiceQuery, taught_by: UUID | None = None) -> Page[VoiceAnswer]:
    """With `taught_by`, those in courses that this person teaches. Raises Invalid (invalid_cursor)."""
    where, params = list[str](), dict[str, UUID]()
    if query.course:
        where.append("course_id = :course_id")
        params["course_id"] = query.course
    if taught_by:
        where.append(_TAUGHT)
        params["taught_by"] = taught_by
    order = Order("at", "ASC" if query.state == "awaiting" else "DESC")
    route = f"panel/voice-answers/{taught_by}"
    select = _select(*_STATES[query.state])
    return await fetch_page(tx, VoiceAnswer, select, query, route=route, where=where, order=order, **params)


async def get(tx: Tx, recording_id: UUID, taught_by: UUID | None = None) -> VoiceAnswer:
    """Raises NotFound (voice_answer_not_found)."""
    held = """attempt_id = (
        SELECT attempt_id FROM voice_recordings WHERE tenant_id = :tenant AND id = :recording_id)"""
    where = ["id = :recording_id", *([_TAUGHT] if taught_by else [])]
    found = await tx.find(
        VoiceAnswer,
        " AND ".join([_select(held, "COALESCE(awaits_since, graded_at)"), *where]),
        recording_id=recording_id,
        **({"taught_by": taught_by} if taught_by else {}),
    )
    if found is None:
        raise NotFound("voice_answer_not_found")
    return found


async def find_next(tx: Tx, taught_by: UUID | None = None) -> UUID | None:
    """The one that has waited longest."""
    page = await list_page(tx, VoiceQuery(limit=1), taught_by)
    return page.data[0].id if page.data else None
