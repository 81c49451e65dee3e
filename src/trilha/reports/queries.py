"""The SQL of reports."""

from uuid import UUID

from trilha.core.db import Tx
from trilha.reports.schema import CourseStats


async def course_stats(tx: Tx, course_id: UUID) -> CourseStats | None:
    """None when there is no such course. Read from one index, never from the rows."""
    return await tx.find(
        CourseStats,
        """
        SELECT c.id AS course_id,
               t.enrollments,
               t.not_started,
               t.in_progress,
               t.completions,
               t.enrollments - t.not_started - t.in_progress - t.completions AS expired,
               round(100.0 * t.completions / NULLIF(t.enrollments, 0), 2)::float8 AS completion_rate,
               round(t.score::numeric, 2)::float8 AS average_score,
               round(t.progress::numeric, 2)::float8 AS average_progress,
               0 AS certificates_issued
        FROM courses c,
             LATERAL (
                 SELECT count(*) AS enrollments,
                        count(*) FILTER (WHERE status = 'COMPLETED') AS completions,
                        count(*) FILTER (WHERE status = 'NOT_STARTED' AND running) AS not_started,
                        count(*) FILTER (WHERE status = 'IN_PROGRESS' AND running) AS in_progress,
                        avg(score) AS score,
                        avg(progress) AS progress
                 FROM (
                     SELECT status, score, progress, COALESCE(expires_at > :now, true) AS running
                     FROM enrollments
                     WHERE tenant_id = :tenant AND course_id = c.id) AS e) AS t
        WHERE c.tenant_id = :tenant AND c.id = :course_id
        """,
        course_id=course_id,
    )
