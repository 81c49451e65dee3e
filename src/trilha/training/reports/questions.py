"""How learners answer a course's questions, and how long they take, from the latest learners who began it."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Tx
from trilha.people.users.reach import Reach
from trilha.training.reports.report_filter import People, ReportFilter, find_people
from trilha.training.reports.rules import rate

# At most this many people; with more, those of this many of the latest enrollments.
LATEST = 400
_MAX_SCANNED = 4 * LATEST


class AnsweredQuestion(Struct, frozen=True):
    """`right` is the percentage of graded answers; `seconds` is the median time for one answer."""

    module_title: str
    text: str
    answers: int
    right: float
    seconds: float | None


class Duration(Struct, frozen=True):
    """The number of learners who completed a course within so many days; None means longer."""

    days: int | None
    people: int


class Answers(Struct, frozen=True):
    """`looked_at` is the size of the sample; `more`: earlier enrollments are not in it."""

    questions: Sequence[AnsweredQuestion]
    durations: Sequence[Duration]
    looked_at: int
    more: bool


_SPANS = (1, 7, 30, 90)


def _select_begun(people: People | None) -> str:
    """Selects the latest enrollments that were begun in the period, one more than the sample size."""
    begun = "e.started_at >= :begun_since"
    columns = "e.id, CASE WHEN e.status = 'COMPLETED' THEN e.completed_at - e.started_at END AS took"
    if people is not None and people.few:
        return f"""
            SELECT {columns}
            FROM users AS u JOIN enrollments AS e ON e.tenant_id = :tenant AND e.user_id = u.id
            WHERE u.tenant_id = :tenant AND {people.condition} AND e.course_id = :course AND {begun}
            ORDER BY e.created_at DESC, e.id DESC LIMIT {LATEST + 1}"""  # noqa: S608
    # One after another, so that the query ends with the last row that it needs.
    person = "(SELECT * FROM users WHERE tenant_id = :tenant AND id = e.user_id OFFSET 0) AS u"
    of_people = f"CROSS JOIN LATERAL {person}" if people else ""
    return f"""
        SELECT {columns}
        FROM (SELECT * FROM enrollments WHERE tenant_id = :tenant AND course_id = :course
              ORDER BY created_at DESC, id DESC LIMIT {_MAX_SCANNED}) AS e {of_people}
        WHERE {begun} AND {people.condition if people else "true"}
        ORDER BY e.created_at DESC, e.id DESC LIMIT {LATEST + 1}"""  # noqa: S608


async def get(tx: Tx, reach: Reach, report_filter: ReportFilter) -> Answers:
    """Returns the figures of the filter's course."""
    people = await find_people(tx, reach, report_filter)
    begun = datetime.combine(report_filter.since, time(), BRAZIL)
    params = {"course": report_filter.course_id, "begun_since": begun, **(people.params if people else {})}
    found = await tx.rows(_select_begun(people), **params)
    more = len(found) > LATEST or (not (people and people.few) and await _has_older(tx, report_filter))
    places = found[:LATEST]
    answered = await _questions(tx, [each["id"] for each in places])
    return Answers(answered, _durations([each["took"] for each in places]), len(places), more)


async def _has_older(tx: Tx, report_filter: ReportFilter) -> bool:
    """Tells whether the course has enrollments outside the sample."""
    older: bool = await tx.value(
        f"""SELECT EXISTS (SELECT FROM enrollments WHERE tenant_id = :tenant AND course_id = :course
                           ORDER BY created_at DESC, id DESC OFFSET {_MAX_SCANNED})""",  # noqa: S608
        course=report_filter.course_id,
    )
    return older


async def _questions(tx: Tx, places: Sequence[UUID]) -> list[AnsweredQuestion]:
    """Lists the questions of these enrollments, the hardest first. Packages' questions are grouped by the
    text that the package reports, or by id.
    """
    rows = await tx.rows(
        """
        WITH tried AS MATERIALIZED (
            SELECT DISTINCT ON (a.enrollment_id, a.module_id) a.id, a.module_id, a.in_package
            FROM unnest(CAST(:places AS uuid[])) AS place (id)
            CROSS JOIN LATERAL (
                SELECT id, enrollment_id, module_id, number, EXISTS (
                    SELECT FROM interactions AS i
                    WHERE i.tenant_id = :tenant AND i.attempt_id = attempts.id) AS in_package
                FROM attempts WHERE tenant_id = :tenant AND enrollment_id = place.id OFFSET 0) AS a
            WHERE a.in_package OR EXISTS (
                SELECT FROM quiz_answers AS q WHERE q.tenant_id = :tenant AND q.attempt_id = a.id)
            ORDER BY a.enrollment_id, a.module_id, a.number DESC),
        answered AS (
            SELECT tried.module_id, COALESCE(NULLIF(i.description, ''), i.interaction_id) AS text,
                   i.result = 'correct' AS is_right, i.latency_seconds
            FROM tried JOIN interactions AS i ON i.tenant_id = :tenant AND i.attempt_id = tried.id
            WHERE tried.in_package AND i.result IN ('correct', 'incorrect', 'wrong')
            UNION ALL
            SELECT tried.module_id, n.text, q.points >= n.weight, q.latency_seconds
            FROM tried JOIN quiz_answers AS q ON q.tenant_id = :tenant AND q.attempt_id = tried.id
            CROSS JOIN LATERAL (
                (SELECT text, weight FROM questions WHERE tenant_id = :tenant AND id = q.question_id OFFSET 0)
                UNION ALL
                (SELECT text, weight FROM bank_questions
                 WHERE tenant_id = :tenant AND id = q.question_id OFFSET 0)
            ) AS n
            WHERE NOT tried.in_package AND q.points IS NOT NULL)
        SELECT m.title AS module_title, told.*
        FROM (SELECT module_id, text, count(*) AS answers, count(*) FILTER (WHERE is_right) AS right_ones,
                     percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_seconds) AS seconds
              FROM answered GROUP BY module_id, text) AS told
        CROSS JOIN LATERAL (
            SELECT title FROM all_modules WHERE tenant_id = :tenant AND id = told.module_id OFFSET 0) AS m
        ORDER BY right_ones::float8 / answers, answers DESC, text LIMIT 100
        """,
        places=places,
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


def _durations(took: Sequence[timedelta | None]) -> list[Duration]:
    """Counts by duration; None stands for learners who have not completed the course."""
    found, before = [], 0
    for days in (*_SPANS, None):
        longest = timedelta.max if days is None else timedelta(days)
        within = sum(each is not None and each <= longest for each in took)
        found.append(Duration(days, within - before))
        before = within
    return found
