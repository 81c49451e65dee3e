"""The lists of voice answers that graders read."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.lists import Condition, Conditions, List, Walk, equal, list_ids
from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery
from trilha.training.enrollments.lists import taught


class VoiceQuery(ListQuery, frozen=True, kw_only=True):
    """Asks for answers that await a grade, the oldest first, or for graded ones, the newest first."""

    state: Literal["awaiting", "graded"] = "awaiting"
    course: UUID | None = None


class VoiceAnswer(Struct, frozen=True):
    """A voice answer that was handed in. `id` is the recording's.

    `at` is when it was handed in, or else graded. `decided`: the score of its attempt is final, and so is its
    grade.
    """

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


class RecordingId(Struct, frozen=True):
    id: UUID


def _within(taught_by: UUID | None) -> Conditions:
    """An instructor sees the answers in the courses that they teach."""
    if taught_by is None:
        return ()
    within = taught("course_id", "awaits_since", "graded_at")
    return (structs.replace(within, params={"reach_user": taught_by}),)


# Read from an index of the answers. What else is shown is loaded for one page: see `load_voice_answers`.
VOICE_ANSWERS = List(
    name="voice-answers",
    table="quiz_answers",
    kind=RecordingId,
    id="recording_id",
    columns={"id": "row.recording_id"},
    always=(Condition(where="row.recording_id IS NOT NULL"),),
    filters={
        "state": {
            "awaiting": (
                Condition(
                    where="row.awaits_since IS NOT NULL",
                    bounds="awaits_since",
                    order=(Walk(keys=("awaits_since",)),),
                ),
            ),
            "graded": (
                Condition(
                    where="row.graded_by IS NOT NULL",
                    bounds="graded_at",
                    order=(Walk(keys=("graded_at",), direction="DESC"),),
                ),
            ),
        },
        "course": equal("course", "awaits_since", "graded_at", column="course_id"),
    },
    reach=_within,
)


# OFFSET 0 has this planned apart from the outer joins: planning all of it at once takes 60 ms.
_ANSWERS = """
    SELECT r.tenant_id, r.id, r.media_type, r.size, an.points, an.comment,
           qa.graded_at IS NOT NULL AS decided, COALESCE(an.awaits_since, an.graded_at) AS at,
           a.number AS attempt, a.module_id, a.enrollment_id, asked.question, asked.weight
    FROM voice_recordings r
    JOIN quiz_answers an ON an.tenant_id = r.tenant_id AND an.attempt_id = r.attempt_id
         AND an.question_id = r.question_id
    JOIN quiz_attempts qa ON qa.tenant_id = an.tenant_id AND qa.attempt_id = an.attempt_id
    JOIN attempts a ON a.tenant_id = an.tenant_id AND a.id = an.attempt_id
    CROSS JOIN LATERAL (
        SELECT each ->> 'text' AS question, COALESCE((each ->> 'weight')::float8, 1) AS weight
        FROM jsonb_array_elements(qa.questions) AS each
        WHERE each ->> 'id' = an.question_id::text) AS asked
    WHERE r.tenant_id = :tenant AND r.id = ANY(:ids) AND r.removed_at IS NULL
      AND qa.handed_in_at IS NOT NULL OFFSET 0
    """
_SELECT = f"""
    SELECT {columns_of(VoiceAnswer)} FROM (
        SELECT given.*, c.id AS course_id, c.title AS course_title, m.title AS module_title, u.id AS user_id,
               u.name AS user_name
        FROM ({_ANSWERS}) AS given
        JOIN all_modules m ON m.tenant_id = given.tenant_id AND m.id = given.module_id
        JOIN enrollments e ON e.tenant_id = given.tenant_id AND e.id = given.enrollment_id
        JOIN courses c ON c.tenant_id = e.tenant_id AND c.id = e.course_id
        JOIN users u ON u.tenant_id = e.tenant_id AND u.id = e.user_id) AS voice
    """  # noqa: S608
_IN_TAUGHT_COURSES = """course_id = ANY(ARRAY(
    SELECT taught.course_id FROM course_teachers AS taught
    WHERE taught.tenant_id = :tenant AND taught.user_id = :taught_by))"""


async def load_voice_answers(tx: Tx, rows: Sequence[RecordingId]) -> list[VoiceAnswer]:
    """Loads these answers in their order, without those whose recording was removed."""
    ids = [row.id for row in rows]
    answers = {answer.id: answer for answer in await tx.list(VoiceAnswer, _SELECT, ids=ids)}
    return [answers[id] for id in ids if id in answers]


async def get_voice_answer(tx: Tx, recording_id: UUID, taught_by: UUID | None = None) -> VoiceAnswer:
    """Raises NotFound (voice_answer_not_found)."""
    answer = await tx.find(
        VoiceAnswer,
        f"{_SELECT} WHERE at IS NOT NULL" + (f" AND {_IN_TAUGHT_COURSES}" if taught_by else ""),
        ids=[recording_id],
        **({"taught_by": taught_by} if taught_by else {}),
    )
    if answer is None:
        raise NotFound("voice_answer_not_found")
    return answer


async def find_next_voice_answer(tx: Tx, taught_by: UUID | None = None) -> UUID | None:
    """Finds the answer that has waited for a grade the longest."""
    ids, _ = await list_ids(tx, VOICE_ANSWERS, VoiceQuery(), taught_by, limit=1)
    return ids[0] if ids else None
