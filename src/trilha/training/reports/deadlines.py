"""Missed and upcoming due dates, by month and by course.

As in `dashboards`, figures come from counters, or are counted for a few people.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Tx
from trilha.people.users.reach import Reach
from trilha.training.enrollments.lists import DUE
from trilha.training.reports.report_filter import (
    People,
    ReportFilter,
    courses_within,
    find_people,
    month_after,
    months_between,
)

MAX_COURSES = 20
AHEAD = 12  # months; the first is the one in which the period ends


class CourseDeadlines(Struct, frozen=True):
    """A course's figures: `overdue` in the period, and `expiring` from its last month on."""

    course_id: UUID
    course_title: str
    overdue: int
    expiring: int


class Deadlines(Struct, frozen=True):
    """`overdue` are enrollments by the month of their due date, within the period. `expiring` are unrevoked
    certificates by the month of their expiry, from the period's last month on. `courses` are those with
    the most of both, and `others` is the number of further courses.
    """

    overdue: Mapping[date, int]
    expiring: Mapping[date, int]
    courses: Sequence[CourseDeadlines]
    others: int


async def get(tx: Tx, reach: Reach, report_filter: ReportFilter) -> Deadlines | None:
    """Returns None if there are too many people to count on request."""
    people = await find_people(tx, reach, report_filter)
    if people is None:
        found, params = _of_courses(reach, report_filter)
    elif people.few:
        found, params = _of_people(reach, report_filter, people)
    else:
        return None
    last = month_after(report_filter.until, AHEAD - 1)
    span = {"since": report_filter.since, "until": report_filter.until, "last": last, "limit": MAX_COURSES}
    rows = await tx.rows(_SUMS.format(found=found), **span, **params)
    by_month = {row["month"]: row for row in rows if row["month"]}
    courses = [
        CourseDeadlines(row["course_id"], row["course_title"], row["overdue"], row["expiring"])
        for row in rows
        if row["course_id"]
    ]
    others = next((row["courses"] for row in rows if row["courses"]), 0) - len(courses)
    return Deadlines(
        _counts(by_month, "overdue", months_between(report_filter.since, report_filter.until)),
        _counts(by_month, "expiring", months_between(report_filter.until, last)),
        courses,
        others,
    )


def _counts(rows: Mapping[date, Mapping[str, Any]], name: str, months: Sequence[date]) -> dict[date, int]:
    return {month: rows[month][name] if month in rows else 0 for month in months}


def _month(column: str) -> str:
    return f"date_trunc('month', {column} AT TIME ZONE '{BRAZIL.key}')::date"


# `found` has what expires by course and month.
_SUMS = """
    WITH summed AS MATERIALIZED (
        SELECT month, course_id,
               COALESCE(sum(overdue::int) FILTER (WHERE month <= :until), 0) AS overdue,
               COALESCE(sum(expiring::int) FILTER (WHERE month >= :until), 0) AS expiring
        FROM ({found}) AS found WHERE month BETWEEN :since AND :last
        GROUP BY GROUPING SETS ((month), (course_id))),
    of_courses AS (
        SELECT *, count(*) OVER () AS courses FROM summed
        WHERE course_id IS NOT NULL AND (overdue > 0 OR expiring > 0)
        ORDER BY overdue DESC, expiring DESC, course_id LIMIT :limit)
    SELECT month, NULL::uuid AS course_id, NULL AS course_title, overdue, expiring, 0::bigint AS courses
    FROM summed WHERE month IS NOT NULL
    UNION ALL
    (SELECT NULL, n.course_id, c.title, n.overdue, n.expiring, n.courses
     FROM of_courses AS n JOIN courses AS c ON c.tenant_id = :tenant AND c.id = n.course_id
     ORDER BY n.overdue DESC, n.expiring DESC, n.course_id)
"""


def _of_courses(reach: Reach, report_filter: ReportFilter) -> tuple[str, dict[str, Any]]:
    counted, params = courses_within(reach, report_filter.course_id, "n.course_id")
    places, _ = courses_within(reach, report_filter.course_id, "e.course_id")
    # Enrollments that have expired and are not stored as expired yet are in no counter.
    sql = f"""
        SELECT n.course_id, n.month, n.overdue, n.expiring FROM course_deadlines AS n
        WHERE {" AND ".join(["n.tenant_id = :tenant", "n.month BETWEEN :since AND :last", *counted])}
        UNION ALL
        SELECT e.course_id, {_month("e.expires_at")}, 1, 0 FROM enrollments AS e
        WHERE {" AND ".join(["e.tenant_id = :tenant", DUE.format("e."), *places])}"""  # noqa: S608
    return sql, params


def _of_people(reach: Reach, report_filter: ReportFilter, people: People) -> tuple[str, dict[str, Any]]:
    places, params = courses_within(reach, report_filter.course_id, "e.course_id")
    papers, _ = courses_within(reach, report_filter.course_id, "p.course_id")
    who = ["u.tenant_id = :tenant", people.condition]
    over = f"e.expires_at IS NOT NULL AND (e.status = 'EXPIRED' OR {DUE.format('e.')})"
    stands = "p.expires_at IS NOT NULL AND p.revoked_at IS NULL"
    sql = f"""
        SELECT e.course_id, {_month("e.expires_at")} AS month, 1 AS overdue, 0 AS expiring
        FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
        WHERE {" AND ".join([*who, over, *places])}
        UNION ALL
        SELECT p.course_id, {_month("p.expires_at")}, 0, 1
        FROM users AS u JOIN certificates AS p ON p.tenant_id = u.tenant_id AND p.user_id = u.id
        WHERE {" AND ".join([*who, stands, *papers])}"""  # noqa: S608
    return sql, {**people.params, **params}
