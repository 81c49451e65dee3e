"""A learner's own learning paths, with progress and the next course."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp
from trilha.training.courses.translations.choosing import (
    choose_title,
    choose_title_language,
    join_translation,
)

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
    for another reason. `due_at` is the earliest date that applies: of the enrollment, a requirement or the
    path.
    """

    course_id: UUID
    title: str
    title_language: str
    thumbnail_url: str | None
    duration_hours: float
    state: Step
    progress: float
    enrollment_id: UUID | None
    due_at: Timestamp | None
    completed_at: Timestamp | None
    problem: str | None


class NextCourse(Struct, frozen=True):
    """The course to take after this one. `path` is the title of the learning path that it belongs to."""

    enrollment_id: UUID
    title: str
    title_language: str
    due_at: Timestamp | None
    path: str | None


# This person's best enrollment in a course: a completed and still valid one, else the latest.
_BEST = """
    SELECT e.id, e.language, e.progress, e.completed_at, LEAST(e.due_at, e.expires_at) AS due_at,
           CASE WHEN e.status IN ('NOT_STARTED', 'IN_PROGRESS') AND e.expires_at <= :now
                THEN 'EXPIRED' ELSE e.status END AS status
    FROM enrollments AS e
    WHERE e.tenant_id = :tenant AND e.user_id = :user_id AND e.course_id = part.course_id
    ORDER BY e.status = 'COMPLETED' AND COALESCE(e.valid_until > :now, true) DESC, e.created_at DESC LIMIT 1
"""
_STEPS = f"""
    SELECT part.path_id, part.position, part.course_id, {choose_title()} AS title,
           {choose_title_language()} AS title_language, course.duration_hours,
           course.thumbnail_url, best.id AS enrollment_id, best.status,
           COALESCE(best.progress, 0) AS progress, best.completed_at,
           LEAST(best.due_at, place.due_at) AS due_at
    FROM learning_path_courses AS part
    JOIN courses AS course ON course.tenant_id = part.tenant_id AND course.id = part.course_id
    LEFT JOIN LATERAL ({_BEST}) AS best ON true
    {join_translation("part.course_id", "COALESCE(best.language, :locale)")}
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


async def list_open(tx: Tx, user_id: UUID, locale: str = "") -> list[MyPath]:
    """Lists paths that are not completed, the soonest due date first."""
    return await tx.list(
        MyPath,
        f"""
        {_MINE} AND place.completed_at IS NULL
        ORDER BY place.due_at NULLS LAST, place.assigned_at, path.id LIMIT {MAX_PATHS}
        """,
        user_id=user_id,
        locale=locale,
    )


async def list_completed(tx: Tx, user_id: UUID, locale: str = "") -> list[MyPath]:
    """Lists completed paths, the latest first."""
    return await tx.list(
        MyPath,
        f"""
        {_MINE} AND place.completed_at IS NOT NULL
        ORDER BY place.completed_at DESC, path.id LIMIT {MAX_PATHS}
        """,
        user_id=user_id,
        locale=locale,
    )


async def get(tx: Tx, user_id: UUID, path_id: UUID, locale: str = "") -> MyPath:
    """Returns the path as its learner sees it. Raises NotFound, also if the person is not on it."""
    found = await tx.find(
        MyPath,
        f"{_MINE} AND place.path_id = :path_id",
        user_id=user_id,
        path_id=path_id,
        locale=locale,
    )
    if found is None:
        raise NotFound("learning_path_not_found")
    return found


async def list_steps(tx: Tx, user_id: UUID, path: MyPath, locale: str = "") -> Sequence[MyStep]:
    """Lists the path's courses in order."""
    rows = await tx.rows(
        f"""
        SELECT step.*, problem.code FROM (
            SELECT :path_id::uuid AS path_id, :due_at::timestamptz AS due_at
            WHERE :tenant::uuid IS NOT NULL) AS place
        CROSS JOIN LATERAL ({_STEPS}) AS step
        LEFT JOIN learning_path_problems AS problem ON problem.tenant_id = :tenant
            AND problem.path_id = step.path_id AND problem.user_id = :user_id
            AND problem.course_id = step.course_id
        ORDER BY step.position, step.course_id
        """,  # noqa: S608
        path_id=path.id,
        due_at=path.due_at,
        user_id=user_id,
        locale=locale,
    )
    steps, open_before = [], False
    for row in rows:
        state: Step = row["status"] or ("LOCKED" if path.in_order and open_before else "CLOSED")
        open_before = open_before or state != "COMPLETED"
        steps.append(
            MyStep(
                row["course_id"],
                row["title"],
                row["title_language"],
                row["thumbnail_url"],
                row["duration_hours"],
                state,
                row["progress"],
                row["enrollment_id"],
                row["due_at"],
                row["completed_at"],
                row["code"],
            )
        )
    return steps


async def find_next_course(tx: Tx, user_id: UUID, enrollment_id: UUID, locale: str = "") -> NextCourse | None:
    """Returns the course to take after the one of this enrollment.

    A course of the same learning path comes first, in the path's order, then the open course with the
    earliest due date.
    """
    return await tx.find(
        NextCourse,
        f"""
        SELECT e.id AS enrollment_id, {choose_title("c")} AS title,
               {choose_title_language("c")} AS title_language, COALESCE(e.due_at, e.expires_at) AS due_at,
               path.title AS path
        FROM enrollments e
        JOIN courses c ON c.tenant_id = e.tenant_id AND c.id = e.course_id
        {join_translation("e.course_id", "COALESCE(e.language, :locale)")}
        LEFT JOIN LATERAL (
            SELECT p.title, mine.position
            FROM all_enrollments done
            JOIN learning_path_courses ended ON ended.tenant_id = :tenant AND ended.course_id = done.course_id
            JOIN learning_path_courses mine ON mine.tenant_id = :tenant AND mine.path_id = ended.path_id
                 AND mine.course_id = e.course_id
            JOIN learning_path_assignments a ON a.tenant_id = :tenant AND a.path_id = ended.path_id
                 AND a.user_id = :user_id
            JOIN learning_paths p ON p.tenant_id = :tenant AND p.id = ended.path_id
            WHERE done.tenant_id = :tenant AND done.id = :enrollment_id
            ORDER BY mine.position LIMIT 1) AS path ON true
        WHERE e.tenant_id = :tenant AND e.user_id = :user_id AND e.status IN ('NOT_STARTED', 'IN_PROGRESS')
          AND e.id <> :enrollment_id AND COALESCE(e.expires_at > :now, true)
        ORDER BY path.position NULLS LAST, COALESCE(e.due_at, e.expires_at) NULLS LAST, e.created_at, e.id
        LIMIT 1
        """,  # noqa: S608
        user_id=user_id,
        enrollment_id=enrollment_id,
        locale=locale,
    )
