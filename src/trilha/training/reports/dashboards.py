"""Figures by month and by course for pages. The cost of a page does not grow with the tables.

Figures of everybody, or of an instructor's courses, come from counters. Figures of a few people are counted
on request; for many people, figures are not counted on request.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Tx, structs_of
from trilha.people.users.reach import Reach
from trilha.training.enrollments.lists import DUE
from trilha.training.reports import month_counters, queries
from trilha.training.reports.report_filter import (
    People,
    ReportFilter,
    courses_within,
    find_people,
    months_between,
)
from trilha.training.reports.schema import CompletionTotals, CourseCompletion

MAX_COURSES = 20


class Standing(Struct, frozen=True):
    """`months` are keyed by their first days. `courses` are those with the most enrollments, and `others` is
    the number of further courses; both are empty if there are too many people to count on request.
    """

    overall: CompletionTotals | None
    courses: Sequence[CourseCompletion]
    others: int
    months: Mapping[date, int] | None


async def get(tx: Tx, reach: Reach, report_filter: ReportFilter) -> Standing:
    people = await find_people(tx, reach, report_filter)
    if people is None:
        return await _of_courses(tx, reach, report_filter)
    return await _of_people(tx, reach, report_filter, people) if people.few else Standing(None, [], 0, None)


async def _of_courses(tx: Tx, reach: Reach, report_filter: ReportFilter) -> Standing:
    taught_by = reach.user_id if reach.role == "instrutor" else None
    counted, of_courses = queries.select_completion(report_filter.course_id, taught_by=taught_by)
    where, params = courses_within(reach, report_filter.course_id, "course_id")
    months = await month_counters.add_up(tx, report_filter.since, report_filter.until, where, **params)
    return await _standing(tx, counted, of_courses, months, report_filter)


async def _of_people(tx: Tx, reach: Reach, report_filter: ReportFilter, people: People) -> Standing:
    of_courses, params = courses_within(reach, report_filter.course_id, "e.course_id")
    params = {**people.params, **params}
    place = f"""
        FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
        WHERE {" AND ".join(["u.tenant_id = :tenant", people.condition, *of_courses])}"""
    counted = f"""
        SELECT c.id AS course_id, c.title AS course_title, c.title_key, counted.*, 0 AS certificates_issued
        FROM (SELECT course_id AS id, count(*) AS enrollments,
                     count(*) FILTER (WHERE shown = 'COMPLETED') AS completed,
                     count(*) FILTER (WHERE shown = 'IN_PROGRESS') AS in_progress,
                     count(*) FILTER (WHERE shown = 'NOT_STARTED') AS not_started,
                     count(*) FILTER (WHERE shown = 'EXPIRED') AS expired
              FROM (SELECT e.course_id,
                           CASE WHEN {DUE.format("e.")} THEN 'EXPIRED' ELSE e.status END AS shown
                    {place}) AS place
              GROUP BY course_id) AS counted
        JOIN courses AS c ON c.tenant_id = :tenant AND c.id = counted.id"""  # noqa: S608
    rows = await tx.rows(
        f"""
        SELECT date_trunc('month', e.completed_at AT TIME ZONE '{BRAZIL.key}')::date AS month,
               count(*) AS completed
        {place} AND e.status = 'COMPLETED'
          AND (e.completed_at AT TIME ZONE '{BRAZIL.key}')::date >= :since
        GROUP BY 1
        """,
        since=report_filter.since,
        **params,
    )
    months = {row["month"]: row["completed"] for row in rows}
    return await _standing(tx, counted, params, months, report_filter)


_COUNTS = ("enrollments", "completed", "in_progress", "not_started", "expired", "certificates_issued")
# A row for all courses together, and the courses with the most enrollments. `courses` is the number of
# courses with any.
_TOP_COURSES = f"""
    WITH counted AS MATERIALIZED ({{counted}}),
    shown AS (
        (SELECT NULL::uuid AS course_id, NULL::text AS course_title,
                {", ".join(f"COALESCE(sum({name}), 0)::bigint AS {name}" for name in _COUNTS)},
                count(*) FILTER (WHERE enrollments > 0) AS courses
         FROM counted)
        UNION ALL
        (SELECT course_id, course_title, {", ".join(_COUNTS)}, 0
         FROM counted WHERE enrollments > 0 ORDER BY enrollments DESC, title_key, course_id LIMIT :limit))
    SELECT *, round(100.0 * completed / NULLIF(enrollments, 0), 2)::float8 AS completion_rate FROM shown
"""  # noqa: S608


async def _standing(
    tx: Tx, counted: str, params: Mapping[str, Any], counts: Mapping[date, int], report_filter: ReportFilter
) -> Standing:
    """`counted` selects a CourseCompletion of each course; `counts` is by month."""
    rows = await tx.rows(_TOP_COURSES.format(counted=counted), limit=MAX_COURSES, **params)
    overall = next(row for row in rows if row["course_id"] is None)
    top_courses = [row for row in rows if row["course_id"] is not None]
    return Standing(
        structs_of(CompletionTotals, [overall])[0],
        structs_of(CourseCompletion, top_courses),
        overall["courses"] - len(top_courses),
        {month: counts.get(month, 0) for month in months_between(report_filter.since, report_filter.until)},
    )
