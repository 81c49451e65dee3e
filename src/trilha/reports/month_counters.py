"""Completions by month: their slots, brought together once a month is over, and what they come to."""

from collections.abc import Mapping, Sequence
from datetime import date

from trilha.core.database import Tx
from trilha.core.jobs import oldest

# A month in São Paulo ends some hours after it does in UTC.
_OVER = "month < CAST(date_trunc('month', CAST(:now AS timestamptz) - interval '2 days') AS date)"
DUE = oldest("course_completions", f"slot > 0 AND {_OVER}", "month")


async def merge(tx: Tx) -> int:
    """The oldest month that is over, into its first slot; how many rows that were.

    Rows that somebody changes are left for the next time: who waits for nobody is in nobody's way.
    """
    return await tx.execute(
        f"""
        WITH oldest AS (
            SELECT min(month) AS month FROM course_completions
            WHERE tenant_id = :tenant AND slot > 0 AND {_OVER}),
        found AS (
            SELECT course_id, month, slot FROM course_completions
            WHERE tenant_id = :tenant AND slot > 0 AND month = (SELECT month FROM oldest)
            FOR UPDATE SKIP LOCKED),
        gone AS (
            DELETE FROM course_completions AS c USING found
            WHERE c.tenant_id = :tenant AND c.course_id = found.course_id AND c.month = found.month
              AND c.slot = found.slot
            RETURNING c.course_id, c.month, c.completed)
        INSERT INTO course_completions AS c (tenant_id, course_id, month, slot, completed)
        SELECT :tenant, course_id, month, 0, sum(completed) FROM gone
        GROUP BY course_id, month ORDER BY course_id
        ON CONFLICT (tenant_id, course_id, month, slot)
        DO UPDATE SET completed = c.completed + excluded.completed
        """  # noqa: S608
    )


async def add_up(
    tx: Tx, since: date, until: date, of_courses: Sequence[str] = (), **params: object
) -> Mapping[date, int]:
    """By the first days of the months in which anything was completed, both included. Of all courses, or of
    those for whose `course_id` these conditions hold."""
    where = " AND ".join(["tenant_id = :tenant AND month BETWEEN :since AND :until", *of_courses])
    # Two parts, as there is an index for each.
    parts = " UNION ALL ".join(
        f"""SELECT month, sum(completed) AS completed FROM course_completions
            WHERE {where} AND {slots} GROUP BY month"""  # noqa: S608
        for slots in ("slot = 0", "slot > 0")
    )
    rows = await tx.rows(
        f"SELECT month, sum(completed)::bigint AS completed FROM ({parts}) AS counted GROUP BY month",  # noqa: S608
        since=since,
        until=until,
        **params,
    )
    return {row["month"]: row["completed"] for row in rows}
