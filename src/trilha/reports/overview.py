"""What the panel's first page counts: what needs attention, and how training stands, within a reader's reach.

Counts that nobody needs exactly stop at `MOST`. What grows with the enrollments of a whole company is read
from counters; of a manager's people, from their enrollments, or from what the worker counted of many.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.enrollments.search import SOON
from trilha.reports import month_counters, unit_counters
from trilha.reports.unit_counters import ASKS_FOR_LICENCE
from trilha.reports.unit_counters import OPEN as _OPEN
from trilha.users.reach import TAUGHT, Reach

MOST = 100
MONTHS = 12


class Attention(Struct, frozen=True):
    """`expiring` are enrollments that end within SOON, `licences` people who are in a course that asks for a
    driving licence, and whose own is past; `without_unit` is 0 while there are no units."""

    expiring: int
    licences: int
    without_unit: int


class Totals(Struct, frozen=True):
    """`people` are active, an instructor's counted no further than `MOST` + 1. `courses` are published,
    `open` are enrollments neither done nor over, `expired` those whose last day went by before that;
    None where nobody counted them."""

    people: int
    courses: int
    open: int
    expired: int | None = None


class Overview(Struct, frozen=True):
    """`completions` as `completions` answers them; `counted_at` is set where the worker counted, and when."""

    attention: Attention
    totals: Totals
    completions: Mapping[date, int]
    counted_at: Timestamp | None = None


_ENDS_SOON = f"{_OPEN} AND e.expires_at > :now AND e.expires_at <= :until"


# Of so many enrollments in an instructor's courses the people are counted; among more they are many.
_FEW_PLACES = 3000


def _courses(reach: Reach, course_id: str) -> tuple[str, dict[str, Any]]:
    """That a course is within reach; `course_id` is the column with its id."""
    if reach.role == "instrutor":
        return f"{course_id} = {TAUGHT}", {"reach_user": reach.user_id}
    return "true", {}


def _capped(select: str) -> str:
    return f"SELECT count(*) FROM ({select} LIMIT {MOST + 1}) AS found"  # noqa: S608


async def get(tx: Tx, reach: Reach) -> Overview:
    if reach.role == "gestor" and (counts := await unit_counters.find(tx, reach)):
        return Overview(
            Attention(counts.expiring, counts.licences, 0),
            Totals(counts.people, await _count_courses(tx), counts.open),
            {month: counts.completions.get(month, 0) for month in _months(tx.today)},
            counts.counted_at,
        )
    people, counted_at = (await unit_counters.find_people(tx) if reach.is_everyone else None) or (None, None)
    return Overview(
        await attention(tx, reach),
        await totals(tx, reach, people),
        await completions(tx, reach),
        counted_at,
    )


async def _count_courses(tx: Tx) -> int:
    sql = "SELECT count(*) FROM courses WHERE tenant_id = :tenant AND status = 'PUBLISHED'"
    return int(await tx.value(sql))


async def attention(tx: Tx, reach: Reach) -> Attention:
    return Attention(
        expiring=await _count_expiring(tx, reach),
        licences=await _count_licences(tx, reach),
        without_unit=await _count_without_unit(tx) if reach.is_everyone else 0,
    )


async def _count_expiring(tx: Tx, reach: Reach) -> int:
    if reach.role == "gestor":
        people, params = reach.condition("u")
        select = f"""
            SELECT FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
            WHERE u.tenant_id = :tenant AND {people} AND {_ENDS_SOON}"""
    else:
        courses, params = _courses(reach, "c.id")
        # Course by course, as there is an index of what ends in each.
        select = f"""
            SELECT FROM courses AS c CROSS JOIN LATERAL (
                SELECT FROM enrollments AS e
                WHERE e.tenant_id = :tenant AND e.course_id = c.id AND {_ENDS_SOON}
                LIMIT {MOST + 1}) AS ending
            WHERE c.tenant_id = :tenant AND {courses}"""  # noqa: S608
    count: int = await tx.value(_capped(select), until=tx.now + SOON, **params)
    return count


async def _count_licences(tx: Tx, reach: Reach) -> int:
    courses, params = _courses(reach, "c.id")
    asking = f"""
        SELECT c.id FROM courses AS c
        WHERE c.tenant_id = :tenant AND {ASKS_FOR_LICENCE} AND {courses}"""  # noqa: S608
    if reach.role == "instrutor":  # whose courses are few, and who reaches those who take them
        people, takes = "true", f"e.course_id = ANY(ARRAY({asking}))"
    else:
        people, more = reach.condition("u")
        params |= more
        # `IS TRUE` has the courses looked up once, for everybody.
        takes = f"(e.course_id IN ({asking})) IS TRUE"
    # One person after the other: those whose licence is past are far fewer than who takes such a course.
    select = f"""
        SELECT FROM users AS u
        WHERE u.tenant_id = :tenant AND u.cnh_valid_until < :today AND u.status = 'ACTIVE' AND {people}
          AND EXISTS (
            SELECT FROM enrollments AS e
            WHERE e.tenant_id = :tenant AND e.user_id = u.id AND {_OPEN} AND {takes} OFFSET 0)"""  # noqa: S608
    count: int = await tx.value(_capped(select), today=tx.today.isoformat(), **params)
    return count


async def _count_without_unit(tx: Tx) -> int:
    select = """
        SELECT FROM users AS u
        WHERE u.tenant_id = :tenant AND u.business_unit_id IS NULL AND u.status = 'ACTIVE'
          AND EXISTS (SELECT FROM business_units WHERE tenant_id = :tenant)"""
    count: int = await tx.value(_capped(select))
    return count


async def totals(tx: Tx, reach: Reach, people: int | None = None) -> Totals:
    """`people` where somebody counted them."""
    courses, params = _courses(reach, "c.id")
    (row,) = await tx.rows(
        f"""
        SELECT (SELECT count(*) FROM courses AS c
                WHERE c.tenant_id = :tenant AND c.status = 'PUBLISHED' AND {courses}) AS courses,
               counted.open, counted.expired
        FROM ({_counts(reach)}) AS counted
        """,  # noqa: S608
        **params | (reach.condition("u")[1] if reach.role == "gestor" else {}),
    )
    if reach.role == "instrutor":
        people = await _count_learners(tx, reach)
    if people is None:
        people = await _count_people(tx, reach)
    return Totals(people, row["courses"], row["open"], row["expired"])


async def _count_people(tx: Tx, reach: Reach) -> int:
    condition, params = reach.condition("u")
    select = f"SELECT FROM users AS u WHERE u.tenant_id = :tenant AND u.status = 'ACTIVE' AND {condition}"
    if reach.role == "instrutor":
        select += f" LIMIT {MOST + 1}"
    count: int = await tx.value(f"SELECT count(*) FROM ({select}) AS found", **params)  # noqa: S608
    return count


async def _count_learners(tx: Tx, reach: Reach) -> int | None:
    """Of an instructor's courses, no further than `MOST` + 1. None where they have to be looked for."""
    places, params = _courses(reach, "e.course_id")
    (row,) = await tx.rows(
        f"""
        SELECT count(*) AS places,
               (SELECT count(*) FROM (
                    SELECT FROM users AS u
                    WHERE u.tenant_id = :tenant AND u.status = 'ACTIVE'
                      AND u.id = ANY(array_agg(place.user_id)) LIMIT {MOST + 1}) AS found) AS people
        FROM (SELECT e.user_id FROM enrollments AS e
              WHERE e.tenant_id = :tenant AND {places} LIMIT {_FEW_PLACES + 1}) AS place
        """,  # noqa: S608
        **params,
    )
    people: int = row["people"]
    return people if people > MOST or row["places"] <= _FEW_PLACES else None


def _counts(reach: Reach) -> str:
    if reach.role == "gestor":
        condition, _ = reach.condition("u")
        return f"""SELECT count(*) FILTER (WHERE {_OPEN}) AS open,
                   count(*) FILTER (WHERE e.status = 'EXPIRED') AS expired
            FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
            WHERE u.tenant_id = :tenant AND {condition}"""  # noqa: S608
    courses, _ = _courses(reach, "n.course_id")
    return f"""SELECT COALESCE(sum(n.not_started + n.in_progress), 0)::bigint AS open,
               COALESCE(sum(n.enrollments - n.not_started - n.in_progress - n.completed), 0)::bigint
                   AS expired
        FROM course_counters AS n WHERE n.tenant_id = :tenant AND {courses}"""  # noqa: S608


async def completions(tx: Tx, reach: Reach) -> dict[date, int]:
    """How many enrollments were completed in each of the last MONTHS, by its first day; the oldest first."""
    months = _months(tx.today)
    found = await (_of_people if reach.role == "gestor" else _of_courses)(tx, reach, months[0])
    return {month: found.get(month, 0) for month in months}


def _months(today: date) -> list[date]:
    last = today.year * 12 + today.month - 1
    return [date(each // 12, each % 12 + 1, 1) for each in range(last - MONTHS + 1, last + 1)]


async def _of_courses(tx: Tx, reach: Reach, since: date) -> Mapping[date, int]:
    where, params = _courses(reach, "course_id")
    return await month_counters.add_up(tx, since, tx.today, [] if reach.is_everyone else [where], **params)


async def _of_people(tx: Tx, reach: Reach, since: date) -> Mapping[date, int]:
    people, params = reach.condition("u")
    rows = await tx.rows(
        f"""
        SELECT date_trunc('month', e.completed_at AT TIME ZONE '{BRAZIL.key}')::date AS month,
               count(*) AS completed
        FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
        WHERE u.tenant_id = :tenant AND {people} AND e.status = 'COMPLETED'
          AND (e.completed_at AT TIME ZONE '{BRAZIL.key}')::date >= :since
        GROUP BY 1
        """,  # noqa: S608
        since=since,
        **params,
    )
    return {row["month"]: row["completed"] for row in rows}
