"""What the panel's first page counts: what needs attention, and how training stands, within a reader's reach.

Counts that nobody needs exactly stop at `MOST`. Of many people, what the worker counted is read. Of others, a
manager's are counted from their people's enrollments, everybody else's from what is kept of each course.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.enrollments.lists import SOON
from trilha.reports import month_counters, unit_counters
from trilha.reports.unit_counters import ASKS_FOR_LICENCE, MONTH, Counts
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
    """As in `Counts`; `people` of an instructor no further than `MOST` + 1. `courses` are published."""

    people: int
    courses: int
    open: int
    expired: int | None


class Overview(Struct, frozen=True):
    """`completions` by the first day of each of the last MONTHS, the oldest first; `counted_at` is set where
    the worker counted, and when."""

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
    """Of an instructor's courses nobody counts ahead: they have few."""
    counted = None if reach.role == "instrutor" else await unit_counters.find(tx, reach)
    counts = counted or await count(tx, reach)
    return Overview(
        Attention(
            counts.expiring, counts.licences, await _count_without_unit(tx) if reach.is_everyone else 0
        ),
        Totals(counts.people, await _count_courses(tx, reach), counts.open, counts.expired),
        {month: counts.completions.get(month, 0) for month in _months(tx.today)},
        counts.counted_at,
    )


async def count(tx: Tx, reach: Reach) -> Counts:
    """As it stands now. What needs attention, and an instructor's people, no further than `MOST` + 1."""
    return await (_count_of_people if reach.role == "gestor" else _count_of_courses)(tx, reach)


async def _count_courses(tx: Tx, reach: Reach) -> int:
    courses, params = _courses(reach, "c.id")
    sql = f"""SELECT count(*) FROM courses AS c
              WHERE c.tenant_id = :tenant AND c.status = 'PUBLISHED' AND {courses}"""  # noqa: S608
    return int(await tx.value(sql, **params))


async def _count_of_people(tx: Tx, reach: Reach) -> Counts:
    """A manager's."""
    people, params = reach.condition("u")
    rows = await tx.rows(
        f"""
        SELECT {MONTH} AS month, count(*) AS completed, count(*) FILTER (WHERE {_OPEN}) AS open,
               count(*) FILTER (WHERE e.status = 'EXPIRED') AS expired,
               count(*) FILTER (WHERE {_ENDS_SOON}) AS expiring
        FROM users AS u JOIN enrollments AS e ON e.tenant_id = u.tenant_id AND e.user_id = u.id
        WHERE u.tenant_id = :tenant AND {people} GROUP BY 1
        """,  # noqa: S608
        until=tx.now + SOON,
        **params,
    )
    return Counts(
        await _count_people(tx, reach),
        open=sum(row["open"] for row in rows),
        expired=sum(row["expired"] for row in rows),
        expiring=sum(row["expiring"] for row in rows),
        licences=await _count_licences(tx, reach),
        completions={row["month"]: row["completed"] for row in rows if row["month"]},
    )


async def _count_of_courses(tx: Tx, reach: Reach) -> Counts:
    """Of all courses, or an instructor's: from what is kept of each."""
    courses, params = _courses(reach, "n.course_id")
    (row,) = await tx.rows(
        f"""
        SELECT COALESCE(sum(n.not_started + n.in_progress), 0)::bigint AS open,
               COALESCE(sum(n.enrollments - n.not_started - n.in_progress - n.completed), 0)::bigint
                   AS expired
        FROM course_counters AS n WHERE n.tenant_id = :tenant AND {courses}
        """,  # noqa: S608
        **params,
    )
    return Counts(
        await _count_people(tx, reach),
        row["open"],
        row["expired"],
        await _count_expiring(tx, reach),
        await _count_licences(tx, reach),
        await _completions(tx, reach),
    )


async def _count_expiring(tx: Tx, reach: Reach) -> int:
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


async def _count_people(tx: Tx, reach: Reach) -> int:
    """Active ones."""
    if reach.role == "instrutor" and (learners := await _count_learners(tx, reach)) is not None:
        return learners
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


async def _completions(tx: Tx, reach: Reach) -> Mapping[date, int]:
    where, params = _courses(reach, "course_id")
    conditions = [] if reach.is_everyone else [where]
    return await month_counters.add_up(tx, _months(tx.today)[0], tx.today, conditions, **params)


def _months(today: date) -> list[date]:
    """The first day of each of the last MONTHS, this one included."""
    last = today.year * 12 + today.month - 1
    return [date(each // 12, each % 12 + 1, 1) for each in range(last - MONTHS + 1, last + 1)]
