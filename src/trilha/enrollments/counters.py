"""Counts and sums of each course's enrollments; by month, what was completed, ran out or will run out.

They are kept in the transaction that changes the enrollments. Statistics are read from them, so that they
cost the same however many people take a course.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import civil_date
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.enrollments.schema import Enrollment

# Which of the 16 rows of counters of each course is written to, in SQL. Connections follow each other in it,
# so that of two that write at the same time one seldom waits for the other's commit; and a transaction that
# counts more than once stays with one. Two that share it and count more than once may still deadlock, over
# several courses: the one that is ended runs again.
_SLOT = "pg_backend_pid() % 16"
# The same of completions, whose slot 0 has what is brought together of a month that is over.
_MONTH_SLOT = f"1 + {_SLOT}"


class CountedEnrollment(Struct, frozen=True):
    """What is counted of an enrollment."""

    course_id: UUID
    status: str
    progress: float
    score: float | None
    expires_at: Timestamp | None


class CountedCompletion(CountedEnrollment, frozen=True):
    completed_at: str


# By courses and first days of months.
Months = Counter[tuple[UUID, date]]
# The column of each status. Expired has none: it is what is left of `enrollments`.
_STATUS_COLUMNS = {"NOT_STARTED": "not_started", "IN_PROGRESS": "in_progress", "COMPLETED": "completed"}
# What a change of an enrollment changes.
SUMMED = ("enrollments", *_STATUS_COLUMNS.values(), "scored", "score", "progress")
COLUMNS = (*SUMMED, "certificates_issued")
_EXACT = ("score", "progress")  # sums of what is no whole number


# The part of a statement that counts the one enrollment which its part `inserted` returns.
COUNT_INSERTED = f"""
    counted AS (
        INSERT INTO course_counters AS t (tenant_id, course_id, slot, enrollments, not_started)
        SELECT :tenant, course_id, {_SLOT}, 1, 1 FROM inserted
        ON CONFLICT (tenant_id, course_id, slot)
        DO UPDATE SET enrollments = t.enrollments + 1, not_started = t.not_started + 1)
"""  # noqa: S608
# The same of the certificates that `inserted` returns, however many.
COUNT_CERTIFICATES = f"""
    counted AS (
        INSERT INTO course_counters AS t (tenant_id, course_id, slot, certificates_issued)
        SELECT :tenant, course_id, {_SLOT}, count(*) FROM inserted GROUP BY course_id ORDER BY course_id
        ON CONFLICT (tenant_id, course_id, slot)
        DO UPDATE SET certificates_issued = t.certificates_issued + excluded.certificates_issued)
"""  # noqa: S608


async def add_new(tx: Tx, course_ids: Iterable[UUID]) -> None:
    """Counts one new enrollment for each time a course is given."""
    new = Counter(course_ids)
    courses = _in_lock_order(new)
    counts = [new[course] for course in courses]
    await _add(tx, courses, enrollments=counts, not_started=counts)


async def replace(tx: Tx, changes: Iterable[tuple[CountedEnrollment, Enrollment]]) -> None:
    """Counts each changed enrollment as it is now and no longer as it was."""
    changed: dict[UUID, dict[str, Any]] = {}
    completed: Counter[UUID] = Counter()
    overdue: Months = Counter()
    for before, after in changes:
        completed[after.course_id] += (after.status == "COMPLETED") - (before.status == "COMPLETED")
        sums = changed.setdefault(after.course_id, dict.fromkeys(SUMMED, 0))
        _count(sums, before, -1)
        _count(sums, after, +1)
        _count_overdue(overdue, before, -1)
        _count_overdue(overdue, after, +1)
    courses = _in_lock_order(changed)
    await _add(tx, courses, **{name: [changed[course][name] for course in courses] for name in SUMMED})
    month = tx.today.replace(day=1)
    await add_completions(tx, {(course, month): count for course, count in completed.items() if count})
    await add_deadlines(tx, overdue=overdue)


async def add_completed(tx: Tx, completions: Sequence[CountedCompletion]) -> None:
    """Counts new enrollments that are completed, each in the month in which it was."""
    months: Months = Counter()
    for each in completions:
        months[each.course_id, month_of(each.completed_at)] += 1
    await _change(tx, completions, +1)
    await add_completions(tx, months)


async def remove(tx: Tx, enrollments: Iterable[CountedEnrollment]) -> None:
    """Counts these, which are not completed, no more."""
    removed = list(enrollments)
    overdue: Months = Counter()
    for each in removed:
        _count_overdue(overdue, each, -1)
    await _change(tx, removed, -1)
    await add_deadlines(tx, overdue=overdue)


async def _change(tx: Tx, enrollments: Iterable[CountedEnrollment], sign: int) -> None:
    sums: dict[UUID, dict[str, Any]] = {}
    for each in enrollments:
        _count(sums.setdefault(each.course_id, dict.fromkeys(SUMMED, 0)), each, sign)
    courses = _in_lock_order(sums)
    await _add(tx, courses, **{name: [sums[course][name] for course in courses] for name in SUMMED})


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
    """The first day of the month that it is in São Paulo."""
    return civil_date(datetime.fromisoformat(moment)).replace(day=1)


def _in_lock_order(courses: Iterable[UUID]) -> list[UUID]:
    """One order for every transaction, so that two that write the same rows cannot deadlock."""
    return sorted(courses, key=lambda course: course.int)


async def add(tx: Tx, sums: Mapping[UUID, Mapping[str, Any]]) -> None:
    """Adds to these courses' counters, by COLUMNS, what was found to be missing; less than 0 takes away."""
    courses = _in_lock_order(sums)
    await _add(tx, courses, **{name: [sums[course].get(name, 0) for course in courses] for name in COLUMNS})


async def _add(tx: Tx, courses: Sequence[UUID], **sums: Sequence[Any]) -> None:
    if not courses:
        return
    columns = ", ".join(sums)
    await tx.execute(
        f"""
        INSERT INTO course_counters AS t (tenant_id, course_id, slot, {columns})
        SELECT :tenant, added.course_id, {_SLOT}, {", ".join(f"added.{name}" for name in sums)}
        FROM unnest(:courses::uuid[], {", ".join(f":{name}::{_type(name)}[]" for name in sums)})
             AS added (course_id, {columns})
        ON CONFLICT (tenant_id, course_id, slot)
        DO UPDATE SET {", ".join(f"{name} = t.{name} + excluded.{name}" for name in sums)}
        """,  # noqa: S608
        courses=courses,
        **sums,
    )


def _type(column: str) -> str:
    return "numeric" if column in _EXACT else "bigint"


async def add_completions(tx: Tx, counts: Mapping[tuple[UUID, date], int]) -> None:
    """To what courses completed in a month, given by its first day: the month that it is in São Paulo."""
    if not counts:
        return
    keys = sorted(counts, key=lambda key: (key[0].int, key[1]))
    await tx.execute(
        f"""
        INSERT INTO course_completions AS c (tenant_id, course_id, month, slot, completed)
        SELECT :tenant, added.course_id, added.month, {_MONTH_SLOT}, added.completed
        FROM unnest(:courses::uuid[], :months::date[], :counts::bigint[])
             AS added (course_id, month, completed)
        ON CONFLICT (tenant_id, course_id, month, slot)
        DO UPDATE SET completed = c.completed + excluded.completed
        """,  # noqa: S608
        courses=[course for course, _ in keys],
        months=[month for _, month in keys],
        counts=[counts[key] for key in keys],
    )


async def add_deadlines(tx: Tx, *, overdue: Months | None = None, expiring: Months | None = None) -> None:
    """To what ended in a month before it was completed, and to the certificates that stand until a month."""
    counts = {"overdue": overdue or Counter(), "expiring": expiring or Counter()}
    months = {key for each in counts.values() for key, count in each.items() if count}
    if not months:
        return
    keys = sorted(months, key=lambda key: (key[0].int, key[1]))
    await tx.execute(
        """
        INSERT INTO course_deadlines AS d (tenant_id, course_id, month, overdue, expiring)
        SELECT :tenant, added.course_id, added.month, added.overdue, added.expiring
        FROM unnest(:courses::uuid[], :months::date[], :overdue::bigint[], :expiring::bigint[])
             AS added (course_id, month, overdue, expiring)
        ON CONFLICT (tenant_id, month, course_id)
        DO UPDATE SET overdue = d.overdue + excluded.overdue, expiring = d.expiring + excluded.expiring
        """,
        courses=[course for course, _ in keys],
        months=[month for _, month in keys],
        **{name: [each[key] for key in keys] for name, each in counts.items()},
    )
