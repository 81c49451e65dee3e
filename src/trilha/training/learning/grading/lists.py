"""The answers that graders read: a list in the order of an index, and one answer."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.lists import Condition, Conditions, List, Walk, equal
from trilha.training.enrollments.lists import taught
from trilha.training.learning.grading.schema import AnswerId, AnswerToGrade

# Of a canceled enrollment, nobody grades anything.
_HAS_ENROLLMENT = """(
    SELECT true FROM attempts AS a
    JOIN enrollments AS e ON e.tenant_id = :tenant AND e.id = a.enrollment_id
    WHERE a.tenant_id = :tenant AND a.id = {0}attempt_id) IS TRUE"""


def _within(taught_by: UUID | None) -> Conditions:
    """An instructor sees the answers in the courses that they teach."""
    if taught_by is None:
        return ()
    within = taught("course_id", "awaits_since", "graded_at")
    return (structs.replace(within, params={"reach_user": taught_by}),)


# Read from an index of the answers. What else is shown is loaded for one page: see `load_answers`.
ANSWERS = List(
    name="answers",
    table="quiz_answers",
    kind=AnswerId,
    id="recording_id",
    columns={"id": "row.recording_id"},
    always=(
        Condition(where="row.recording_id IS NOT NULL"),
        Condition(where=_HAS_ENROLLMENT.format("row.")),
    ),
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
    SELECT an.tenant_id, an.recording_id AS id, r.media_type, r.size, an.points, an.rubric_points, an.comment,
           an.corrections AS stored_corrections, an.graded_by, qa.graded_at IS NOT NULL AS decided,
           COALESCE(an.awaits_since, an.graded_at) AS at, a.number AS attempt, a.module_id, a.enrollment_id,
           asked.question ->> 'text' AS question, asked.question ->> 'kind' AS kind,
           COALESCE((asked.question ->> 'weight')::float8, 1) AS weight,
           asked.question -> 'rubric' AS stored_rubric, asked.question -> 'picture' AS stored_picture,
           asked.question -> 'audio' AS stored_audio,
           CASE WHEN asked.question ->> 'kind' = 'voice' THEN '' ELSE an.response #>> '{}' END AS text
    FROM quiz_answers an
    JOIN quiz_attempts qa ON qa.tenant_id = an.tenant_id AND qa.attempt_id = an.attempt_id
    JOIN attempts a ON a.tenant_id = an.tenant_id AND a.id = an.attempt_id
    LEFT JOIN voice_recordings r ON r.tenant_id = an.tenant_id AND r.id = an.recording_id
         AND r.removed_at IS NULL
    CROSS JOIN LATERAL (
        SELECT each AS question FROM jsonb_array_elements(qa.questions) AS each
        WHERE each ->> 'id' = an.question_id::text) AS asked
    WHERE an.tenant_id = :tenant AND an.recording_id = ANY(:ids)
      AND (r.id IS NOT NULL OR asked.question ->> 'kind' <> 'voice')
      AND qa.handed_in_at IS NOT NULL OFFSET 0
    """
_SELECT = f"""
    SELECT {columns_of(AnswerToGrade)} FROM (
        SELECT given.*, c.id AS course_id, c.title AS course_title, m.title AS module_title, u.id AS user_id,
               u.name AS user_name, e.status AS enrollment_status, g.name AS grader_name
        FROM ({_ANSWERS}) AS given
        JOIN all_modules m ON m.tenant_id = given.tenant_id AND m.id = given.module_id
        JOIN enrollments e ON e.tenant_id = given.tenant_id AND e.id = given.enrollment_id
        JOIN courses c ON c.tenant_id = e.tenant_id AND c.id = e.course_id
        JOIN users u ON u.tenant_id = e.tenant_id AND u.id = e.user_id
        LEFT JOIN users g ON g.tenant_id = :tenant AND g.id = given.graded_by) AS answer
    """  # noqa: S608
_IN_TAUGHT_COURSES = """course_id = ANY(ARRAY(
    SELECT taught.course_id FROM course_teachers AS taught
    WHERE taught.tenant_id = :tenant AND taught.user_id = :taught_by))"""


async def load_answers(tx: Tx, rows: Sequence[AnswerId]) -> list[AnswerToGrade]:
    """Loads these answers in their order, without those whose recording was removed."""
    ids = [row.id for row in rows]
    answers = {answer.id: answer for answer in await tx.list(AnswerToGrade, _SELECT, ids=ids)}
    return [answers[id] for id in ids if id in answers]


async def get_answer(tx: Tx, answer_id: UUID, taught_by: UUID | None = None) -> AnswerToGrade:
    """Raises NotFound (answer_not_found)."""
    answer = await tx.find(
        AnswerToGrade,
        f"{_SELECT} WHERE at IS NOT NULL" + (f" AND {_IN_TAUGHT_COURSES}" if taught_by else ""),
        ids=[answer_id],
        **({"taught_by": taught_by} if taught_by else {}),
    )
    if answer is None:
        raise NotFound("answer_not_found")
    return answer


async def find_next(
    tx: Tx, answer: AnswerToGrade, taught_by: UUID | None = None, course_id: UUID | None = None
) -> UUID | None:
    """Finds the answer to grade after this one: of the others that wait, the oldest that has waited less
    long, or else the oldest. With `course_id`, only of this course.
    """
    conditions = ["awaits_since IS NOT NULL", "recording_id <> :id", _HAS_ENROLLMENT.format("quiz_answers.")]
    params: dict[str, object] = {"id": answer.id}
    if taught_by:
        conditions.append(_IN_TAUGHT_COURSES)
        params["taught_by"] = taught_by
    if course_id:
        conditions.append("course_id = :course_id")
        params["course_id"] = course_id
    later = "(awaits_since, recording_id) > (CAST(:at AS timestamptz), CAST(:id AS uuid))"
    return await _find_first(tx, [*conditions, later], **params, at=answer.waiting_since) or (
        await _find_first(tx, conditions, **params)
    )


async def _find_first(tx: Tx, conditions: Sequence[str], **params: object) -> UUID | None:
    found: UUID | None = await tx.value(
        f"""
        SELECT recording_id FROM quiz_answers WHERE tenant_id = :tenant AND {" AND ".join(conditions)}
        ORDER BY awaits_since, recording_id LIMIT 1
        """,  # noqa: S608
        **params,
    )
    return found
