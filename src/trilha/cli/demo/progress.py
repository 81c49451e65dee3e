"""How far the demo's people are in each module: what their enrollments' progress comes from."""

from trilha.core.database import Tx


async def fill(tx: Tx) -> None:
    """The first modules are done, and one is in its middle, as far as the progress goes."""
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
