"""How training goes, for pages: by month, by course, by question. No page reads more as tables grow.

What is of everybody, or of a teacher's courses, is read from counters. What is of some people is counted
where they are few; of many nothing is counted while somebody waits. Questions and times are of the latest
who took the course.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Tx
from trilha.enrollments.queries import DUE
from trilha.reports import queries
from trilha.reports.rules import rate
from trilha.reports.schema import CompletionTotals, CourseCompletion
from trilha.reports.unit_counters import FEW_PEOPLE
from trilha.users.reach import Reach

# Of a course, so many of its latest enrollments are looked at.
LATEST = 500
MONTHS = 12
MOST_COURSES = 20


class Wanted(Struct, frozen=True):
    """None leaves nothing out. `since` and `until` are first days of months, both included."""

    since: date
    until: date
    course_id: UUID | None = None
    unit_id: UUID | None = None
    group_id: UUID | None = None


class Standing(Struct, frozen=True):
    """`months` by their first days. `courses` are those with the most enrollments, `others` how many more
    there are; of people that are too many to be counted while somebody waits, there are none."""

    overall: CompletionTotals | None
    courses: Sequence[CourseCompletion]
    others: int
    months: Mapping[date, int] | None


class AnsweredQuestion(Struct, frozen=True):
    """`right` is in percent of the answers that were judged; `seconds` is the median time of one."""

    module_title: str
    text: str
    answers: int
    right: float
    seconds: float | None


class Duration(Struct, frozen=True):
    """How many completed a course within so many days of their beginning; None: or longer."""

    days: int | None
    people: int


_SPANS = (1, 7, 30, 90)


async def get(tx: Tx, reach: Reach, wanted: Wanted) -> Standing:
    condition, params = _people(reach, wanted)
    if condition is None:
        return await _of_courses(tx, reach, wanted)
    many = await tx.value(
        f"""SELECT EXISTS (SELECT FROM users AS u WHERE u.tenant_id = :tenant AND {condition}
                           OFFSET {FEW_PEOPLE})""",  # noqa: S608
        **params,
    )
    return Standing(None, [], 0, None) if many else await _of_people(tx, wanted, condition, params)


def _people(reach: Reach, wanted: Wanted) -> tuple[str | None, dict[str, Any]]:
    """Which people, as SQL over `u`. None where it is not people who are asked for."""
    conditions, params = [], dict[str, Any]()
    if reach.role == "gestor":
        condition, params = reach.condition("u")
        conditions.append(condition)
    if wanted.unit_id is not None:
        conditions.append(_BELOW)
        params["unit"] = wanted.unit_id
    if wanted.group_id is not None:
        conditions.append(_MEMBERS)
        params["group"] = wanted.group_id
    return (" AND ".join(conditions) or None), params


_BELOW = """u.business_unit_id = ANY(ARRAY(
    WITH RECURSIVE below AS (
        SELECT id FROM business_units WHERE tenant_id = :tenant AND id = :unit
        UNION
        SELECT unit.id FROM business_units AS unit JOIN below ON unit.parent_id = below.id
        WHERE unit.tenant_id = :tenant)
    SELECT id FROM below))"""
_MEMBERS = """u.id = ANY(ARRAY(
    SELECT user_id FROM learning_group_members WHERE tenant_id = :tenant AND group_id = :group))"""


async def _of_courses(tx: Tx, reach: Reach, wanted: Wanted) -> Standing:
    taught_by = reach.user_id if reach.role == "instrutor" else None
    report = await queries.get_completion(tx, wanted.course_id, taught_by=taught_by)
    where, params = ["n.tenant_id = :tenant", "n.month BETWEEN :since AND :until"], dict[str, Any]()
    if wanted.course_id is not None:
        where.append("n.course_id = :course")
        params["course"] = wanted.course_id
    if taught_by is not None:
        where.append(
            """n.course_id = ANY(ARRAY(SELECT course_id FROM course_teachers
               WHERE tenant_id = :tenant AND user_id = :teacher))"""
        )
        params["teacher"] = taught_by
    rows = await tx.rows(
        f"""SELECT n.month, sum(n.completed)::bigint AS completed FROM course_completions AS n
            WHERE {" AND ".join(where)} GROUP BY n.month""",  # noqa: S608
        since=wanted.since,
        until=wanted.until,
        **params,
    )
    months = {row["month"]: row["completed"] for row in rows}
    return _standing(report.overall, report.courses, months, wanted)


async def _of_people(tx: Tx, wanted: Wanted, condition: str, params: dict[str, Any]) -> Standing:
    of_course = "" if wanted.course_id is None else "AND e.course_id = :course"
    if wanted.course_id is not None:
        params = params | {"course": wanted.course_id}
    place = f"""
        FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
        WHERE u.tenant_id = :tenant AND {condition} {of_course}"""
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
    months = {month: found.get(month, 0) for month in _between(wanted.since, wanted.until)}
    return Standing(overall, taken[:MOST_COURSES], max(0, len(taken) - MOST_COURSES), months)


def _between(since: date, until: date) -> list[date]:
    first, last = since.year * 12 + since.month - 1, until.year * 12 + until.month - 1
    return [date(each // 12, each % 12 + 1, 1) for each in range(first, last + 1)]


def last_months(today: date, count: int = MONTHS) -> tuple[date, date]:
    """The first days of the first and the last of so many months, of which this one is the last."""
    first = today.year * 12 + today.month - count
    return date(first // 12, first % 12 + 1, 1), today.replace(day=1)


# The latest enrollments of the course, of people within reach.
_LATEST = f"""
    SELECT e.id, e.status, e.started_at, e.completed_at
    FROM (SELECT * FROM enrollments WHERE tenant_id = :tenant AND course_id = :course
          ORDER BY created_at DESC, id DESC LIMIT {4 * LATEST}) AS e
    JOIN users AS u ON u.tenant_id = :tenant AND u.id = e.user_id
    WHERE e.started_at IS NOT NULL AND {{people}}
    ORDER BY e.created_at DESC, e.id DESC LIMIT {LATEST}
"""  # noqa: S608


def _within(reach: Reach) -> tuple[str, dict[str, Any]]:
    """Of a course that the viewer may see: a teacher sees all of its learners."""
    return reach.condition("u") if reach.role == "gestor" else ("true", {})


async def questions(tx: Tx, reach: Reach, course_id: UUID) -> list[AnsweredQuestion]:
    """The hardest first; those of packages by the text that the package tells, or their ids."""
    people, params = _within(reach)
    rows = await tx.rows(
        f"""
        WITH place AS MATERIALIZED ({_LATEST.format(people=people)}),
        tried AS MATERIALIZED (
            SELECT DISTINCT ON (a.enrollment_id, a.module_id) a.id, a.module_id
            FROM place JOIN attempts AS a ON a.tenant_id = :tenant AND a.enrollment_id = place.id
            WHERE EXISTS (SELECT FROM interactions AS i WHERE i.tenant_id = :tenant AND i.attempt_id = a.id)
               OR EXISTS (SELECT FROM quiz_answers AS q WHERE q.tenant_id = :tenant AND q.attempt_id = a.id)
            ORDER BY a.enrollment_id, a.module_id, a.number DESC),
        answered AS (
            SELECT tried.module_id, COALESCE(NULLIF(i.description, ''), i.interaction_id) AS text,
                   i.result = 'correct' AS is_right, i.latency_seconds
            FROM tried JOIN interactions AS i ON i.tenant_id = :tenant AND i.attempt_id = tried.id
            WHERE i.result IN ('correct', 'incorrect', 'wrong')
            UNION ALL
            SELECT tried.module_id, n.text, q.points >= n.weight, q.latency_seconds
            FROM tried JOIN quiz_answers AS q ON q.tenant_id = :tenant AND q.attempt_id = tried.id
            JOIN questions AS n ON n.tenant_id = :tenant AND n.id = q.question_id
            WHERE q.points IS NOT NULL)
        SELECT m.title AS module_title, told.*
        FROM (SELECT module_id, text, count(*) AS answers, count(*) FILTER (WHERE is_right) AS right_ones,
                     percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_seconds) AS seconds
              FROM answered GROUP BY module_id, text) AS told
        JOIN all_modules AS m ON m.tenant_id = :tenant AND m.id = told.module_id
        ORDER BY right_ones::float8 / answers, answers DESC, text LIMIT 100
        """,  # noqa: S608
        course=course_id,
        **params,
    )
    return [
        AnsweredQuestion(
            row["module_title"],
            row["text"],
            row["answers"],
            rate(row["right_ones"], row["answers"]) or 0.0,
            row["seconds"],
        )
        for row in rows
    ]


async def durations(tx: Tx, reach: Reach, course_id: UUID) -> list[Duration]:
    people, params = _within(reach)
    counts = ", ".join(
        f"count(*) FILTER (WHERE took <= interval '{days} days') AS within_{days}" for days in _SPANS
    )
    (row,) = await tx.rows(
        f"""
        SELECT {counts}, count(*) AS within_none
        FROM (SELECT completed_at - started_at AS took FROM ({_LATEST.format(people=people)}) AS place
              WHERE status = 'COMPLETED') AS done
        """,  # noqa: S608
        course=course_id,
        **params,
    )
    found, before = [], 0
    for days in (*_SPANS, None):
        within = row[f"within_{str(days).lower()}"]
        found.append(Duration(days, within - before))
        before = within
    return found
