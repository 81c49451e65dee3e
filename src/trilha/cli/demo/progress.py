"""The progress of the demo's people in each module, and their XP."""

from trilha.core.database import Tx
from trilha.training.learning.completion.rules import XP_OF_A_COURSE, XP_OF_A_MODULE


async def fill(tx: Tx) -> None:
    """Completes the first modules and leaves one in its middle, to match the enrollment's progress."""
    await tx.execute(
        """
        INSERT INTO module_progress (tenant_id, enrollment_id, module_id, progress, score, started_at,
                                     completed_at)
        SELECT :tenant, enrollment_id, module_id, done, CASE WHEN done = 100 THEN score END, started_at,
               CASE WHEN done = 100 THEN COALESCE(completed_at, updated_at) END
        FROM (
            SELECT e.id AS enrollment_id, m.id AS module_id, e.score, e.started_at, e.completed_at,
                   e.updated_at,
                   round(LEAST(100, GREATEST(0, e.progress * count(*) OVER every
                                             - 100 * (row_number() OVER ordered - 1)))::numeric, 2)::float8
                       AS done
            FROM enrollments e
            JOIN modules m ON m.tenant_id = e.tenant_id AND m.course_id = e.course_id
            WHERE e.tenant_id = :tenant AND e.started_at IS NOT NULL
            WINDOW every AS (PARTITION BY e.id), ordered AS (PARTITION BY e.id ORDER BY m.position)) AS spread
        WHERE done > 0
        ON CONFLICT DO NOTHING
        """
    )
    await _add_xp(tx)


async def _add_xp(tx: Tx) -> None:
    """Adds the XP for completed modules and courses."""
    await tx.execute(
        """
        UPDATE users u SET xp = :module * earned.modules + earned.courses
        FROM (
            SELECT e.user_id, sum(done.modules) AS modules,
                   sum(CASE WHEN e.status = 'COMPLETED' THEN :course + round(COALESCE(e.score, 0)::numeric)
                       ELSE 0 END) AS courses
            FROM enrollments e
            CROSS JOIN LATERAL (
                SELECT count(*) AS modules FROM module_progress p
                WHERE p.tenant_id = :tenant AND p.enrollment_id = e.id AND p.completed_at IS NOT NULL) AS done
            WHERE e.tenant_id = :tenant GROUP BY e.user_id) AS earned
        WHERE u.tenant_id = :tenant AND u.id = earned.user_id
        """,
        module=XP_OF_A_MODULE,
        course=XP_OF_A_COURSE,
    )
