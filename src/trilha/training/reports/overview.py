"""The figures on the panel's first page: open issues and totals within the reader's reach.

Figures that link to a list match that list. For many people, figures come from the worker's counts. Otherwise
a manager's are counted from their people's enrollments, and everybody else's come from course counters.
"""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.lists import Count
from trilha.core.lists import count as count_rows
from trilha.core.types import Timestamp
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import TAUGHT, Reach
from trilha.people.users.schema import PeopleQuery
from trilha.training.courses.lists import COURSE_ROWS as COURSES
from trilha.training.courses.schema import CourseSearch
from trilha.training.enrollments.lists import ENROLLMENT_ROWS as ENROLLMENTS
from trilha.training.enrollments.lists import SOON, find_total
from trilha.training.enrollments.schema import EnrollmentSearch
from trilha.training.reports import month_counters, unit_counters
from trilha.training.reports.unit_counters import MONTH, Counts
from trilha.training.reports.unit_counters import OPEN as _OPEN

MONTHS = 12


class Attention(Struct, frozen=True):
    """`expiring` are enrollments that end within SOON. `licences` are people in a course that requires a
    driver's license and whose own has expired. `without_unit` is 0 if there are no units.
    """

    expiring: Count
    licences: Count
    without_unit: Count


class Totals(Struct, frozen=True):
    """Totals as in `Counts`. `courses` are published."""

    people: Count
    courses: Count
    open: int
    expired: int | None


class Overview(Struct, frozen=True):
    """`completions` are by the first day of each of the last MONTHS, oldest first. `counted_at` is the time
    of the worker's count, if it counted.
    """

    attention: Attention
    totals: Totals
    completions: Mapping[date, int]
    counted_at: Timestamp | None = None


async def get(tx: Tx, reach: Reach) -> Overview:
    """Instructors' figures are counted on request, because their people are few."""
    kept = None if reach.role == "instrutor" else await unit_counters.find(tx, reach)
    counts = kept or await count(tx, reach)
    taught_by = reach.user_id if reach.role == "instrutor" else None
    return Overview(
        Attention(counts.expiring, counts.licences, await _count_without_unit(tx, reach)),
        Totals(
            counts.people,
            await count_rows(tx, COURSES, CourseSearch(status="PUBLISHED"), taught_by),
            counts.open,
            counts.expired,
        ),
        {month: counts.completions.get(month, 0) for month in _months(tx.today)},
        counts.counted_at,
    )


async def count(tx: Tx, reach: Reach) -> Counts:
    """Counts the current figures."""
    return await (_count_of_people if reach.role == "gestor" else _count_of_courses)(tx, reach)


async def _count_of_people(tx: Tx, reach: Reach) -> Counts:
    """Counts a manager's figures from their people's enrollments."""
    people, params = reach.condition("u")
    rows = await tx.rows(
        f"""
        SELECT {MONTH} AS month, count(*) AS completed, count(*) FILTER (WHERE {_OPEN}) AS open,
               count(*) FILTER (WHERE e.status = 'EXPIRED') AS expired,
               count(*) FILTER (WHERE {_OPEN} AND e.expires_at > :now AND e.expires_at <= :until) AS expiring
        FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
        WHERE u.tenant_id = :tenant AND {people} GROUP BY 1
        """,  # noqa: S608
        until=tx.now + SOON,
        **params,
    )
    active = (
        f"SELECT count(*) FROM users AS u WHERE u.tenant_id = :tenant AND u.status = 'ACTIVE' AND {people}"  # noqa: S608
    )
    return Counts(
        Count(await tx.value(active, **params)),
        open=sum(row["open"] for row in rows),
        expired=sum(row["expired"] for row in rows),
        expiring=Count(sum(row["expiring"] for row in rows)),
        licences=await count_rows(tx, PEOPLE, PeopleQuery(licence_expired=True), reach),
        completions={row["month"]: row["completed"] for row in rows if row["month"]},
    )


async def _count_of_courses(tx: Tx, reach: Reach) -> Counts:
    """Sums the counters of all courses, or of an instructor's."""
    kept = {
        status: await find_total(tx, EnrollmentSearch(status=status), ["status"], reach) or 0
        for status in ("open", "expired")
    }
    return Counts(
        await count_rows(tx, PEOPLE, PeopleQuery(status="ACTIVE"), reach),
        kept["open"],
        kept["expired"],
        await count_rows(tx, ENROLLMENTS, EnrollmentSearch(status="ending"), reach),
        await count_rows(tx, PEOPLE, PeopleQuery(licence_expired=True), reach),
        await _completions(tx, reach),
    )


async def _count_without_unit(tx: Tx, reach: Reach) -> Count:
    has_units = "SELECT EXISTS (SELECT FROM business_units WHERE tenant_id = :tenant)"
    if not reach.is_everyone or not await tx.value(has_units):
        return Count(0)
    return await count_rows(tx, PEOPLE, PeopleQuery(status="ACTIVE", without_unit=True), reach)


async def _completions(tx: Tx, reach: Reach) -> Mapping[date, int]:
    first = _months(tx.today)[0]
    if reach.is_everyone:
        return await month_counters.add_up(tx, first, tx.today, [])
    taught = [f"course_id = {TAUGHT}"]
    return await month_counters.add_up(tx, first, tx.today, taught, reach_user=reach.user_id)


def _months(today: date) -> list[date]:
    """Returns the first day of each of the last MONTHS, the current one included."""
    last = today.year * 12 + today.month - 1
    return [date(each // 12, each % 12 + 1, 1) for each in range(last - MONTHS + 1, last + 1)]
