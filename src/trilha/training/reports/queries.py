"""The SQL of reports."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.people.users.reach import Reach
from trilha.training.enrollments.lists import DUE
from trilha.training.reports.rules import rate
from trilha.training.reports.schema import CompletionReport, CompletionTotals, CourseCompletion, CourseStats

# The maximum number of people, and of enrollments in a course, that are counted during a request.
_MANY = 2000
# The people of the course `c` within reach: either each row is checked, or few people are looked up, because
# a large course may otherwise be read completely.
_OF_EACH = """
    SELECT * FROM {table} AS one
    WHERE one.tenant_id = :tenant AND one.course_id = c.id AND EXISTS (
        SELECT FROM users AS person
        WHERE person.tenant_id = :tenant AND person.id = one.user_id AND {condition} OFFSET 0)
"""
_OF_FEW = """
    SELECT one.* FROM unnest(CAST(:people AS uuid[])) AS person (id)
    CROSS JOIN LATERAL (
        SELECT * FROM {table}
        WHERE tenant_id = :tenant AND course_id = c.id AND user_id = person.id OFFSET 0) AS one
"""


async def find_course_stats_within(tx: Tx, course_id: UUID, reach: Reach) -> CourseStats | None:
    """Returns a course's statistics for people within reach, counted one by one. Returns None if both these
    people and the course's enrollments are too many for that. Raises NotFound.
    """
    in_all = await get_course_stats(tx, course_id)
    theirs = _OF_EACH
    condition, params = reach.condition("person")
    if in_all.enrollments > _MANY:
        people = f"SELECT person.id FROM users AS person WHERE person.tenant_id = :tenant AND {condition}"  # noqa: S608
        rows = await tx.rows(f"{people} LIMIT {_MANY + 1}", **params)
        if len(rows) > _MANY:
            return None
        theirs, params = _OF_FEW, {"people": [row["id"] for row in rows]}
    enrollments, certificates = (
        theirs.format(table=table, condition=condition) for table in ("enrollments", "certificates")
    )
    return await tx.find(
        CourseStats,
        f"""
        SELECT c.id AS course_id, t.*,
               (SELECT count(*) FROM ({certificates}) AS issued WHERE issued.replaces IS NULL)
                   AS certificates_issued
        FROM courses c, LATERAL (
            SELECT count(*) AS enrollments,
                   count(*) FILTER (WHERE shown = 'NOT_STARTED') AS not_started,
                   count(*) FILTER (WHERE shown = 'IN_PROGRESS') AS in_progress,
                   count(*) FILTER (WHERE shown = 'COMPLETED') AS completions,
                   count(*) FILTER (WHERE shown = 'EXPIRED') AS expired,
                   round(100.0 * count(*) FILTER (WHERE shown = 'COMPLETED') / NULLIF(count(*), 0), 2)::float8
                       AS completion_rate,
                   round(avg(score)::numeric, 2)::float8 AS average_score,
                   round(avg(progress)::numeric, 2)::float8 AS average_progress
            FROM (SELECT CASE WHEN {DUE.format("place.")} THEN 'EXPIRED' ELSE place.status END AS shown,
                         place.score, place.progress
                  FROM ({enrollments}) AS place) AS place) AS t
        WHERE c.tenant_id = :tenant AND c.id = :course_id
        """,  # noqa: S608
        course_id=course_id,
        **params,
    )


# The totals of the course `c` from its counters.
_COUNTERS = """(
    SELECT COALESCE(sum(enrollments), 0)::bigint AS enrollments,
           COALESCE(sum(not_started), 0)::bigint AS not_started,
           COALESCE(sum(in_progress), 0)::bigint AS in_progress,
           COALESCE(sum(completed), 0)::bigint AS completed,
           COALESCE(sum(certificates_issued), 0)::bigint AS certificates_issued,
           sum(scored) AS scored, sum(score) AS score, sum(progress) AS progress
    FROM course_counters
    WHERE tenant_id = :tenant AND course_id = c.id) AS t"""
# Past their expiry, and not yet stored as expired by the worker. The time is in a subselect, so that
# PostgreSQL keeps the statement's plan instead of planning for each new value.
_DUE_OF_COURSE = """(
    SELECT count(*) FILTER (WHERE status = 'NOT_STARTED') AS not_started,
           count(*) FILTER (WHERE status = 'IN_PROGRESS') AS in_progress
    FROM enrollments
    WHERE tenant_id = :tenant AND course_id = c.id
      AND t.not_started + t.in_progress > 0
      AND status IN ('NOT_STARTED', 'IN_PROGRESS')
      AND expires_at <= (SELECT CAST(:now AS timestamptz))) AS due"""
# The same for all courses together: every counter is read once, and expired enrollments are found by the
# tenant's index, instead of two look-ups per course.
_OF_ALL = """
    LEFT JOIN (
        SELECT course_id, sum(enrollments)::bigint AS enrollments, sum(not_started)::bigint AS not_started,
               sum(in_progress)::bigint AS in_progress, sum(completed)::bigint AS completed,
               sum(certificates_issued)::bigint AS certificates_issued
        FROM course_counters WHERE tenant_id = :tenant GROUP BY course_id) AS kept ON kept.course_id = c.id
    LEFT JOIN (
        SELECT course_id, count(*) FILTER (WHERE status = 'NOT_STARTED') AS not_started,
               count(*) FILTER (WHERE status = 'IN_PROGRESS') AS in_progress
        FROM enrollments
        WHERE tenant_id = :tenant AND status IN ('NOT_STARTED', 'IN_PROGRESS')
          AND expires_at <= (SELECT CAST(:now AS timestamptz))
        GROUP BY course_id) AS past ON past.course_id = c.id
    CROSS JOIN LATERAL (
        SELECT COALESCE(kept.enrollments, 0) AS enrollments, COALESCE(kept.not_started, 0) AS not_started,
               COALESCE(kept.in_progress, 0) AS in_progress, COALESCE(kept.completed, 0) AS completed,
               COALESCE(kept.certificates_issued, 0) AS certificates_issued) AS t
    CROSS JOIN LATERAL (
        SELECT COALESCE(past.not_started, 0) AS not_started,
               COALESCE(past.in_progress, 0) AS in_progress) AS due
"""
# By the present status.
_STATES = """
    t.enrollments,
    t.not_started - due.not_started AS not_started,
    t.in_progress - due.in_progress AS in_progress,
    t.enrollments - t.not_started - t.in_progress - t.completed + due.not_started + due.in_progress
        AS expired,
    round(100.0 * t.completed / NULLIF(t.enrollments, 0), 2)::float8 AS completion_rate,
    t.certificates_issued"""


async def get_course_stats(tx: Tx, course_id: UUID) -> CourseStats:
    """Reads the course's counters, not its enrollments. Raises NotFound."""
    stats = await tx.find(
        CourseStats,
        f"""
        SELECT c.id AS course_id, {_STATES},
               t.completed AS completions,
               round(t.score / NULLIF(t.scored, 0), 2)::float8 AS average_score,
               round(t.progress / NULLIF(t.enrollments, 0), 2)::float8 AS average_progress
        FROM courses c, LATERAL {_COUNTERS}, LATERAL {_DUE_OF_COURSE}
        WHERE c.tenant_id = :tenant AND c.id = :course_id
        """,  # noqa: S608
        course_id=course_id,
    )
    if stats is None:
        raise NotFound("course_not_found")
    return stats


async def get_completion(tx: Tx, course_id: UUID | None = None) -> CompletionReport:
    """Reads the counters of every course or of one. Raises NotFound."""
    select, params = select_completion(course_id)
    courses = await tx.list(CourseCompletion, f"{select} ORDER BY c.title_key, c.id", **params)
    if course_id is not None and not courses:
        raise NotFound("course_not_found")
    return CompletionReport(_add_up(courses), courses)


def select_completion(
    course_id: UUID | None = None, *, taught_by: UUID | None = None
) -> tuple[str, dict[str, Any]]:
    """Returns SQL and parameters that select a CourseCompletion and `title_key` for every course `c`, for
    one, or for an instructor's.
    """
    where, params = ["c.tenant_id = :tenant"], dict[str, Any]()
    if course_id is not None:
        where.append("c.id = :course_id")
        params["course_id"] = course_id
    if taught_by is not None:
        where.append(
            """c.id = ANY(ARRAY(SELECT course_id FROM course_teachers
               WHERE tenant_id = :tenant AND user_id = :taught_by))"""
        )
        params["taught_by"] = taught_by
    of_each = f"CROSS JOIN LATERAL {_COUNTERS} CROSS JOIN LATERAL {_DUE_OF_COURSE}"
    counted = of_each if params else _OF_ALL
    select = f"""
        SELECT c.id AS course_id, c.title AS course_title, c.title_key, {_STATES}, t.completed
        FROM courses c {counted}
        WHERE {" AND ".join(where)}"""  # noqa: S608
    return select, params


def _add_up(courses: Sequence[CourseCompletion]) -> CompletionTotals:
    enrollments = sum(each.enrollments for each in courses)
    completed = sum(each.completed for each in courses)
    return CompletionTotals(
        enrollments=enrollments,
        completed=completed,
        in_progress=sum(each.in_progress for each in courses),
        not_started=sum(each.not_started for each in courses),
        expired=sum(each.expired for each in courses),
        certificates_issued=sum(each.certificates_issued for each in courses),
        completion_rate=rate(completed, enrollments),
    )
