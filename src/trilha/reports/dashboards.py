"""How training goes, for pages: by month and by course. No page reads more as tables grow.

What is of everybody, or of a teacher's courses, is read from counters. What is of some people is counted
where they are few; of many nothing is counted while somebody waits.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Tx
from trilha.enrollments.queries import DUE
from trilha.reports import queries
from trilha.reports.schema import CompletionTotals, CourseCompletion
from trilha.reports.wanted import People, Wanted, courses_within, find_people, months_between
from trilha.users.reach import Reach

MOST_COURSES = 20


class Standing(Struct, frozen=True):
    """`months` by their first days. `courses` are those with the most enrollments, `others` how many more
    there are; of people that are too many to be counted while somebody waits, there are none."""

    overall: CompletionTotals | None
    courses: Sequence[CourseCompletion]
    others: int
    months: Mapping[date, int] | None


async def get(tx: Tx, reach: Reach, wanted: Wanted) -> Standing:
    people = await find_people(tx, reach, wanted)
    if people is None:
        return await _of_courses(tx, reach, wanted)
    return await _of_people(tx, reach, wanted, people) if people.few else Standing(None, [], 0, None)


async def _of_courses(tx: Tx, reach: Reach, wanted: Wanted) -> Standing:
    taught_by = reach.user_id if reach.role == "instrutor" else None
    report = await queries.get_completion(tx, wanted.course_id, taught_by=taught_by)
    courses, params = courses_within(reach, wanted.course_id, "n.course_id")
    where = ["n.tenant_id = :tenant", "n.month BETWEEN :since AND :until", *courses]
    rows = await tx.rows(
        f"""SELECT n.month, sum(n.completed)::bigint AS completed FROM course_completions AS n
            WHERE {" AND ".join(where)} GROUP BY n.month""",  # noqa: S608
        since=wanted.since,
        until=wanted.until,
        **params,
    )
    months = {row["month"]: row["completed"] for row in rows}
    return _standing(report.overall, report.courses, months, wanted)


async def _of_people(tx: Tx, reach: Reach, wanted: Wanted, people: People) -> Standing:
    of_courses, params = courses_within(reach, wanted.course_id, "e.course_id")
    params = {**people.params, **params}
    place = f"""
        FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
        WHERE {" AND ".join(["u.tenant_id = :tenant", people.condition, *of_courses])}"""
    courses = await tx.list(
        CourseCompletion,
        f"""
        SELECT c.id AS course_id, c.title AS course_title, counted.*,
               round(100.0 * completed / enrollments, 2)::float8 AS completion_rate,
               0 AS certificates_issued
        FROM (SELECT course_id AS id, count(*) AS enrollments,
                     count(*) FILTER (WHERE shown = 'COMPLETED') AS completed,
                     count(*) FILTER (WHERE shown = 'IN_PROGRESS') AS in_progress,
                     count(*) FILTER (WHERE shown = 'NOT_STARTED') AS not_started,
                     count(*) FILTER (WHERE shown = 'EXPIRED') AS expired
              FROM (SELECT e.course_id,
                           CASE WHEN {DUE.format("e.")} THEN 'EXPIRED' ELSE e.status END AS shown
                    {place}) AS place
              GROUP BY course_id) AS counted
        JOIN courses AS c ON c.tenant_id = :tenant AND c.id = counted.id
        ORDER BY c.title_key, c.id
        """,  # noqa: S608
        **params,
    )
    rows = await tx.rows(
        f"""
        SELECT date_trunc('month', e.completed_at AT TIME ZONE '{BRAZIL.key}')::date AS month,
               count(*) AS completed
        {place} AND e.status = 'COMPLETED'
          AND (e.completed_at AT TIME ZONE '{BRAZIL.key}')::date >= :since
        GROUP BY 1
        """,
        since=wanted.since,
        **params,
    )
    months = {row["month"]: row["completed"] for row in rows}
    return _standing(queries.add_up(courses), courses, months, wanted)


def _standing(
    overall: CompletionTotals, courses: Sequence[CourseCompletion], found: Mapping[date, int], wanted: Wanted
) -> Standing:
    taken = sorted([each for each in courses if each.enrollments], key=lambda each: -each.enrollments)
    months = {month: found.get(month, 0) for month in months_between(wanted.since, wanted.until)}
    return Standing(overall, taken[:MOST_COURSES], max(0, len(taken) - MOST_COURSES), months)
