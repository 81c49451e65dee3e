"""The results of the courses that an instructor teaches, for the panel's first page."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx

# The figures of a course are those of this many of its latest enrollments.
LATEST = 400
MAX_COURSES = 20


class CourseResults(Struct, frozen=True):
    """The percentages and the score are None without anything to count.

    `passed` is of the quizzes and packages that people passed or failed, each once.
    """

    id: UUID
    title: str
    people: int
    completed: float | None
    score: float | None
    passed: float | None


async def list_courses(tx: Tx, user_id: UUID) -> Sequence[CourseResults]:
    """Lists the first courses by title that are not archived."""
    return await tx.list(
        CourseResults,
        """
        WITH taught AS (
            SELECT c.id, c.title, c.title_key FROM course_teachers t
            JOIN courses c ON c.tenant_id = t.tenant_id AND c.id = t.course_id
            WHERE t.tenant_id = :tenant AND t.user_id = :user_id AND c.status <> 'ARCHIVED'
            ORDER BY c.title_key, c.id LIMIT :most_courses)
        SELECT taught.id, taught.title, figures.people, figures.completed, figures.score, figures.passed
        FROM taught CROSS JOIN LATERAL (
            SELECT count(*) AS people,
                   (100.0 * count(*) FILTER (WHERE latest.status = 'COMPLETED')
                    / NULLIF(count(*), 0))::float8 AS completed,
                   avg(latest.score)::float8 AS score,
                   (100.0 * sum(results.passed) / NULLIF(sum(results.tried), 0))::float8 AS passed
            FROM (SELECT e.id, e.status, e.score FROM enrollments e
                  WHERE e.tenant_id = :tenant AND e.course_id = taught.id
                  ORDER BY e.created_at DESC, e.id DESC LIMIT :latest) AS latest
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE module.passed) AS passed, count(*) AS tried
                FROM (SELECT bool_or(a.success = 'passed') AS passed FROM attempts a
                      WHERE a.tenant_id = :tenant AND a.enrollment_id = latest.id
                        AND a.success IN ('passed', 'failed') GROUP BY a.module_id) AS module) AS results
        ) AS figures
        ORDER BY taught.title_key, taught.id
        """,
        user_id=user_id,
        most_courses=MAX_COURSES,
        latest=LATEST,
    )
