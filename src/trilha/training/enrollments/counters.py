"""Counters of each course's enrollments, and monthly counters of completions, expirations and due dates.

They change in the same transaction as the enrollments. Statistics read them, so that their cost does not grow
with the number of learners. A transaction only inserts rows and therefore never waits for another; a counter
is the sum of its rows, which the worker merges (`counter_rows`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core import counter_rows
from trilha.core.clock import civil_date
from trilha.core.counter_rows import CounterTable
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.training.enrollments.schema import Enrollment


class CountedEnrollment(Struct, frozen=True):
    """The members of an enrollment that counters depend on."""

    course_id: UUID
    status: str
    progress: float
    score: float | None
    expires_at: Timestamp | None


class CountedCompletion(CountedEnrollment, frozen=True):
    completed_at: str


# By course and first day of a month.
Months = Counter[tuple[UUID, date]]
# The column of each status. EXPIRED has none: it is the rest of `enrollments`.
_STATUS_COLUMNS = {"NOT_STARTED": "not_started", "IN_PROGRESS": "in_progress", "COMPLETED": "completed"}
# The counters that a change of an enrollment changes.
SUMMED_COLUMNS = ("enrollments", *_STATUS_COLUMNS.values(), "scored", "score", "progress")
COLUMNS = (*SUMMED_COLUMNS, "certificates_issued")
TOTALS = CounterTable("course_counters", ("course_id",), COLUMNS)
COMPLETIONS = CounterTable("course_completions", ("course_id", "month"), ("completed",))
DEADLINES = CounterTable("course_deadlines", ("course_id", "month"), ("overdue", "expiring"))
TABLES = (TOTALS, COMPLETIONS, DEADLINES)


# The part of a statement that counts the single enrollment of its part `inserted`.
COUNT_INSERTED = """
    counted AS (
        INSERT INTO course_counters (tenant_id, course_id, enrollments, not_started)
        SELECT :tenant, course_id, 1, 1 FROM inserted
        RETURNING tenant_id)
"""
# The same for the certificates of `inserted`, however many.
COUNT_CERTIFICATES = """
    counted AS (
        INSERT INTO course_counters (tenant_id, course_id, certificates_issued)
        SELECT :tenant, course_id, count(*) FROM inserted GROUP BY course_id
        RETURNING tenant_id)
"""


async def add_new(tx: Tx, course_ids: Iterable[UUID]) -> None:
    """Counts one new enrollment for each occurrence of a course."""
    await add(
        tx,
        {
            course: {"enrollments": count, "not_started": count}
            for course, count in Counter(course_ids).items()
        },
    )


async def replace(tx: Tx, changes: Iterable[tuple[CountedEnrollment, Enrollment]]) -> None:
    """Moves changed enrollments from their previous counters to their current ones."""
    changed: dict[UUID, dict[str, Any]] = {}
    completed: Counter[UUID] = Counter()
    overdue: Months = Counter()
    for before, after in changes:
        completed[after.course_id] += (after.status == "COMPLETED") - (before.status == "COMPLETED")
        sums = changed.setdefault(after.course_id, dict.fromkeys(SUMMED_COLUMNS, 0))
        _count(sums, before, -1)
        _count(sums, after, +1)
        _count_overdue(overdue, before, -1)
        _count_overdue(overdue, after, +1)
    await add(tx, changed)
    month = tx.today.replace(day=1)
    await add_completions(tx, {(course, month): count for course, count in completed.items() if count})
    await add_deadlines(tx, overdue=overdue)


async def add_completed(tx: Tx, completions: Sequence[CountedCompletion]) -> None:
    """Counts new enrollments that are already completed, each in its month of completion."""
    months: Months = Counter()
    for each in completions:
        months[each.course_id, month_of(each.completed_at)] += 1
    await _change(tx, completions, +1)
    await add_completions(tx, months)


async def remove(tx: Tx, enrollments: Iterable[CountedEnrollment]) -> None:
    """Removes enrollments that are not completed from the counters."""
    removed = list(enrollments)
    overdue: Months = Counter()
    for each in removed:
        _count_overdue(overdue, each, -1)
    await _change(tx, removed, -1)
    await add_deadlines(tx, overdue=overdue)


async def put_back(tx: Tx, enrollments: Iterable[CountedEnrollment]) -> None:
    """Counts enrollments that `remove` has removed."""
    restored = list(enrollments)
    overdue: Months = Counter()
    for each in restored:
        _count_overdue(overdue, each, +1)
    await _change(tx, restored, +1)
    await add_deadlines(tx, overdue=overdue)


async def _change(tx: Tx, enrollments: Iterable[CountedEnrollment], sign: int) -> None:
    sums: dict[UUID, dict[str, Any]] = {}
    for each in enrollments:
        _count(sums.setdefault(each.course_id, dict.fromkeys(SUMMED_COLUMNS, 0)), each, sign)
    await add(tx, sums)


def _count(sums: dict[str, Any], enrollment: CountedEnrollment | Enrollment, sign: int) -> None:
    sums["enrollments"] += sign
    if name := _STATUS_COLUMNS.get(enrollment.status):
        sums[name] += sign
    if enrollment.score is not None:
        sums["scored"] += sign
        sums["score"] += sign * Decimal(str(enrollment.score))
    sums["progress"] += sign * Decimal(str(enrollment.progress))


def _count_overdue(months: Months, enrollment: CountedEnrollment | Enrollment, sign: int) -> None:
    if enrollment.status == "EXPIRED" and enrollment.expires_at is not None:
        months[enrollment.course_id, month_of(enrollment.expires_at)] += sign


def month_of(moment: str) -> date:
    """Returns the first day of the month in São Paulo's time zone."""
    return civil_date(datetime.fromisoformat(moment)).replace(day=1)


async def add(tx: Tx, sums: Mapping[UUID, Mapping[str, Any]]) -> None:
    """Adds to the counters of these courses, by the names of COLUMNS; negative numbers subtract."""
    await counter_rows.insert(tx, TOTALS, {(course,): added for course, added in sums.items()})


async def add_completions(tx: Tx, counts: Mapping[tuple[UUID, date], int]) -> None:
    """Adds to the courses' completions in a month, given by its first day in São Paulo's time zone."""
    await counter_rows.insert(tx, COMPLETIONS, {key: {"completed": count} for key, count in counts.items()})


async def add_deadlines(tx: Tx, *, overdue: Months | None = None, expiring: Months | None = None) -> None:
    """Adds to a month's enrollments that ended before completion, and to its expiring certificates."""
    added: dict[tuple[UUID, date], dict[str, int]] = {}
    for name, months in (("overdue", overdue), ("expiring", expiring)):
        for key, count in (months or {}).items():
            added.setdefault(key, {})[name] = count
    await counter_rows.insert(tx, DEADLINES, added)
