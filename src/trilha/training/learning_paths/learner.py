"""A learner's own learning paths, with progress and the next course."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp

Step = Literal["COMPLETED", "IN_PROGRESS", "NOT_STARTED", "EXPIRED", "LOCKED", "CLOSED"]
MAX_PATHS = 50


class MyPath(Struct, frozen=True):
    """A path that the learner is on. `next_course` and `next_enrollment_id` belong to the course to continue
    with.
    """

    id: UUID
    title: str
    description: str | None
    in_order: bool
    assigned_at: Timestamp
    due_at: Timestamp | None
    completed_at: Timestamp | None
    courses: int
    completed: int
    next_course: str | None
    next_enrollment_id: UUID | None


class MyStep(Struct, frozen=True):
    """A course of a path. LOCKED: a previous course must be completed first. CLOSED: not open to this person
    for another reason.
    """

    course_id: UUID
    title: str
    duration_hours: float
    state: Step
    progress: float
    enrollment_id: UUID | None
    problem: str | None


# This person's best enrollment in a course: a completed and still valid one, else the latest.
_BEST = """
    SELECT e.id, e.progress, CASE WHEN e.status IN ('NOT_STARTED', 'IN_PROGRESS') AND e.expires_at <= :now
                                  THEN 'EXPIRED' ELSE e.status END AS status
    FROM enrollments AS e
    WHERE e.tenant_id = :tenant AND e.user_id = :user_id AND e.course_id = part.course_id
    ORDER BY e.status = 'COMPLETED' AND COALESCE(e.valid_until > :now, true) DESC, e.created_at DESC LIMIT 1
"""
_STEPS = f"""
    SELECT part.path_id, part.position, part.course_id, course.title, course.duration_hours,
           best.id AS enrollment_id, best.status, COALESCE(best.progress, 0) AS progress
    FROM learning_path_courses AS part
    JOIN courses AS course ON course.tenant_id = part.tenant_id AND course.id = part.course_id
    LEFT JOIN LATERAL ({_BEST}) AS best ON true
    WHERE part.tenant_id = :tenant AND part.path_id = place.path_id
"""  # noqa: S608
_MINE = f"""
    SELECT path.id, path.title, path.description, path.in_order, place.assigned_at, place.due_at,
           place.completed_at, steps.courses, steps.completed, steps.next[1] AS next_course,
           steps.next[2]::uuid AS next_enrollment_id
    FROM learning_path_assignments AS place
    JOIN learning_paths AS path ON path.tenant_id = place.tenant_id AND path.id = place.path_id
    CROSS JOIN LATERAL (
        SELECT count(*) AS courses, count(*) FILTER (WHERE step.status = 'COMPLETED') AS completed,
               (SELECT ARRAY[first.title, first.enrollment_id::text] FROM ({_STEPS}) AS first
                WHERE first.status IN ('NOT_STARTED', 'IN_PROGRESS')
                ORDER BY NOT path.in_order AND first.status = 'NOT_STARTED', first.position LIMIT 1) AS next
        FROM ({_STEPS}) AS step) AS steps
    WHERE place.tenant_id = :tenant AND place.user_id = :user_id
"""  # noqa: S608


async def list_open(tx: Tx, user_id: UUID) -> list[MyPath]:
    """Lists paths that are not completed, the soonest due date first."""
    return await tx.list(
        MyPath,
        f"""
        {_MINE} AND place.completed_at IS NULL
        ORDER BY place.due_at NULLS LAST, place.assigned_at, path.id LIMIT {MAX_PATHS}
        """,
        user_id=user_id,
    )


async def list_completed(tx: Tx, user_id: UUID) -> list[MyPath]:
    """Lists completed paths, the latest first."""
    return await tx.list(
        MyPath,
        f"""
        {_MINE} AND place.completed_at IS NOT NULL
        ORDER BY place.completed_at DESC, path.id LIMIT {MAX_PATHS}
        """,
        user_id=user_id,
    )


async def get(tx: Tx, user_id: UUID, path_id: UUID) -> MyPath:
    """Returns the path as its learner sees it. Raises NotFound, also if the person is not on it."""
    found = await tx.find(MyPath, f"{_MINE} AND place.path_id = :path_id", user_id=user_id, path_id=path_id)
    if found is None:
        raise NotFound("learning_path_not_found")
    return found


async def list_steps(tx: Tx, user_id: UUID, path: MyPath) -> Sequence[MyStep]:
    """Lists the path's courses in order."""
    rows = await tx.rows(
        f"""
        SELECT step.*, problem.code FROM (
            SELECT :path_id::uuid AS path_id WHERE :tenant::uuid IS NOT NULL) AS place
        CROSS JOIN LATERAL ({_STEPS}) AS step
        LEFT JOIN learning_path_problems AS problem ON problem.tenant_id = :tenant
            AND problem.path_id = step.path_id AND problem.user_id = :user_id
            AND problem.course_id = step.course_id
        ORDER BY step.position, step.course_id
        """,  # noqa: S608
        path_id=path.id,
        user_id=user_id,
    )
    steps, open_before = [], False
    for row in rows:
        state: Step = row["status"] or ("LOCKED" if path.in_order and open_before else "CLOSED")
        open_before = open_before or state != "COMPLETED"
        steps.append(
            MyStep(
                row["course_id"],
                row["title"],
                row["duration_hours"],
                state,
                row["progress"],
                row["enrollment_id"],
                row["code"],
            )
        )
    return steps
