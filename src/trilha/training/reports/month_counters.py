"""Completions by month, of all courses or some."""

from collections.abc import Mapping, Sequence
from datetime import date

from trilha.core.database import Tx


async def add_up(
    tx: Tx, since: date, until: date, of_courses: Sequence[str] = (), **params: object
) -> Mapping[date, int]:
    """Sums completions between two months, given by their first days, both included. Without conditions on
    `course_id` all courses count.
    """
    where = " AND ".join(["tenant_id = :tenant AND month BETWEEN :since AND :until", *of_courses])
    rows = await tx.rows(
        f"""SELECT month, sum(completed)::bigint AS completed FROM course_completions
            WHERE {where} GROUP BY month""",  # noqa: S608
        since=since,
        until=until,
        **params,
    )
    return {row["month"]: row["completed"] for row in rows}
