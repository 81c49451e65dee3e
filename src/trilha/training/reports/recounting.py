"""Compares counters with the rows that they count, and repairs them.

One statement reads counters and rows at the same moment, and every transaction changes both. A difference is
therefore an error of the counters, whatever others write meanwhile, and can be added a moment later without
making anybody wait. Two repairs at once would add it twice, so the second waits for the first.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Reading, Tx
from trilha.training.enrollments import counters

# How many courses one transaction counts.
_BATCH = 25
_NONE = UUID(int=0)


class Difference(Struct, frozen=True):
    """A counter that differs from its rows. `month` is set if the counter is monthly."""

    course_id: UUID
    counter: str
    month: date | None
    kept: Decimal
    counted: Decimal


async def recount(transaction: Reading, *, mend: bool) -> AsyncIterator[Difference]:
    """Returns a tenant's differences and optionally repairs them. `transaction` begins a transaction."""
    last: UUID | None = _NONE
    while last is not None:
        async with transaction() as tx:
            courses = await _courses_after(tx, last)
            last = courses[-1] if courses else None
            found = await _recount(tx, courses, mend=mend)
        for each in found:
            yield each


async def _courses_after(tx: Tx, last: UUID) -> list[UUID]:
    rows = await tx.rows(
        "SELECT id FROM courses WHERE tenant_id = :tenant AND id > :last ORDER BY id LIMIT :limit",
        last=last,
        limit=_BATCH,
    )
    return [row["id"] for row in rows]


async def _recount(tx: Tx, courses: Sequence[UUID], *, mend: bool) -> list[Difference]:
    if mend:
        await tx.rows("SELECT pg_advisory_xact_lock(hashtextextended('recount ' || :tenant::uuid, 0))")
    sums = list(_differences(await tx.rows(_SUMS, courses=courses)))
    months = [Difference(**row) for row in await tx.rows(_MONTHS, courses=courses)]
    if mend and sums:
        missing: dict[UUID, dict[str, Any]] = {}
        for each in sums:
            missing.setdefault(each.course_id, {})[each.counter] = each.counted - each.kept
        await counters.add(tx, missing)
    if mend:
        await _mend_months(tx, months)
    return [*sums, *months]


async def _mend_months(tx: Tx, differences: Sequence[Difference]) -> None:
    missing: dict[str, counters.Months] = {name: Counter() for name in ("completed", "overdue", "expiring")}
    for each in differences:
        if each.month is not None:
            missing[each.counter][each.course_id, each.month] = int(each.counted - each.kept)
    await counters.add_completions(tx, missing["completed"])
    await counters.add_deadlines(tx, overdue=missing["overdue"], expiring=missing["expiring"])


def _differences(rows: Sequence[Any]) -> Iterator[Difference]:
    for row in rows:
        for name in counters.COLUMNS:
            kept, counted = Decimal(row[f"kept_{name}"]), Decimal(row[name])
            if kept != counted:
                yield Difference(row["course_id"], name, None, kept, counted)


def _each(form: str, names: Sequence[str] = counters.COLUMNS) -> str:
    return ", ".join(form.format(name) for name in names)


# Progress and score are added as text: the shortest that reads back as the same number.
_SUMS = f"""
    WITH kept AS (
        SELECT course_id, {_each("sum({0}) AS {0}")} FROM course_counters
        WHERE tenant_id = :tenant AND course_id = ANY(:courses) GROUP BY course_id),
    counted AS (
        SELECT course_id, count(*) AS enrollments,
               count(*) FILTER (WHERE status = 'NOT_STARTED') AS not_started,
               count(*) FILTER (WHERE status = 'IN_PROGRESS') AS in_progress,
               count(*) FILTER (WHERE status = 'COMPLETED') AS completed,
               count(score) AS scored, sum(score::text::numeric) AS score,
               sum(progress::text::numeric) AS progress
        FROM enrollments WHERE tenant_id = :tenant AND course_id = ANY(:courses) GROUP BY course_id),
    issued AS (
        SELECT course_id, count(*) AS certificates_issued FROM certificates
        WHERE tenant_id = :tenant AND course_id = ANY(:courses) AND replaces IS NULL GROUP BY course_id)
    SELECT course_id, {_each("COALESCE(kept.{0}, 0) AS kept_{0}")},
           {_each("COALESCE(counted.{0}, 0) AS {0}", counters.SUMMED_COLUMNS)},
           COALESCE(issued.certificates_issued, 0) AS certificates_issued
    FROM unnest(:courses::uuid[]) AS course (course_id)
    LEFT JOIN kept USING (course_id) LEFT JOIN counted USING (course_id)
    LEFT JOIN issued USING (course_id)
    ORDER BY course_id
"""  # noqa: S608
_MONTH = f"date_trunc('month', {{}} AT TIME ZONE '{BRAZIL.key}')::date"
_THESE = "tenant_id = :tenant AND course_id = ANY(:courses)"
_MONTHS = f"""
    WITH kept AS (
        SELECT course_id, 'completed' AS counter, month, sum(completed) AS number FROM course_completions
        WHERE {_THESE} GROUP BY 1, 3
        UNION ALL
        SELECT course_id, each.counter, month, sum(each.number) FROM course_deadlines
        CROSS JOIN LATERAL (VALUES ('overdue', overdue), ('expiring', expiring)) AS each (counter, number)
        WHERE {_THESE} GROUP BY 1, 2, 3),
    counted AS (
        SELECT course_id, counter, month, count(*) AS number
        FROM (SELECT course_id, 'completed' AS counter, {_MONTH.format("completed_at")} AS month
              FROM enrollments WHERE {_THESE} AND status = 'COMPLETED'
              UNION ALL
              SELECT course_id, 'overdue', {_MONTH.format("expires_at")}
              FROM enrollments WHERE {_THESE} AND status = 'EXPIRED' AND expires_at IS NOT NULL
              UNION ALL
              SELECT course_id, 'expiring', {_MONTH.format("expires_at")}
              FROM certificates WHERE {_THESE} AND revoked_at IS NULL AND expires_at IS NOT NULL) AS each
        GROUP BY 1, 2, 3)
    SELECT course_id, counter, month, COALESCE(kept.number, 0)::numeric AS kept,
           COALESCE(counted.number, 0)::numeric AS counted
    FROM kept FULL JOIN counted USING (course_id, counter, month)
    WHERE COALESCE(kept.number, 0) <> COALESCE(counted.number, 0)
    ORDER BY course_id, counter, month
"""  # noqa: S608
