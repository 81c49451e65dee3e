"""Counts of each business unit's people, and of a large company's, kept by the worker: who reaches many reads
them from here.

They are as old as `COUNTED_EVERY` at most. The people of who has few are counted while they wait.
"""

from collections.abc import Mapping
from datetime import date, timedelta

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Tx
from trilha.core.jobs import each_tenant_once
from trilha.core.types import Timestamp
from trilha.enrollments.search import SOON
from trilha.users.reach import Reach

# Of more people than these, what the worker counted is shown.
FEW_PEOPLE = 2000
COUNTED_EVERY = timedelta(minutes=10)
# Where there are few people, it is looked again whether they became many.
LOOKED_EVERY = timedelta(hours=1)
OPEN = "e.status IN ('NOT_STARTED', 'IN_PROGRESS')"
ASKS_FOR_LICENCE = "c.regulation -> 'required_profile_fields' ? 'cnh'"
DUE = f"""
    SELECT managed.tenant_id FROM ({each_tenant_once("business_unit_managers", "true")}) AS managed
    WHERE NOT EXISTS (SELECT FROM unit_countings AS counting
                      WHERE counting.tenant_id = managed.tenant_id AND counting.due_at > :now)
"""  # noqa: S608


class UnitCounts(Struct, frozen=True):
    """Of several units; `completions` by the first day of each month that has some."""

    people: int
    open: int
    expiring: int
    licences: int
    completions: Mapping[date, int]
    counted_at: Timestamp


async def find(tx: Tx, reach: Reach) -> UnitCounts | None:
    """Of all units of a manager. None where they have few people, or nothing was counted yet."""
    people, params = reach.condition("u")
    units, _ = reach.units("n")
    (row,) = await tx.rows(
        f"""
        SELECT sum(n.people) AS people, sum(n.open) AS open, sum(n.expiring) AS expiring,
               sum(n.licences) AS licences, min(n.counted_at) AS counted_at
        FROM unit_counters AS n
        WHERE n.tenant_id = :tenant AND {units} AND EXISTS (
            SELECT FROM users AS u WHERE u.tenant_id = :tenant AND {people} OFFSET {FEW_PEOPLE})
        """,  # noqa: S608
        **params,
    )
    if row["people"] is None:
        return None
    months = await tx.rows(
        f"""
        SELECT CAST(month.key AS date) AS month, sum(month.value::bigint)::bigint AS completed
        FROM unit_counters AS n CROSS JOIN LATERAL jsonb_each_text(n.completions) AS month
        WHERE n.tenant_id = :tenant AND {units} GROUP BY 1
        """,  # noqa: S608
        **params,
    )
    return UnitCounts(
        row["people"],
        row["open"],
        row["expiring"],
        row["licences"],
        {each["month"]: each["completed"] for each in months},
        row["counted_at"],
    )


async def find_people(tx: Tx) -> tuple[int, Timestamp] | None:
    """How many active people the company has, and when they were counted. None where they are few, or nothing
    was counted yet."""
    rows = await tx.rows(
        "SELECT people, counted_at FROM unit_countings WHERE tenant_id = :tenant AND people IS NOT NULL"
    )
    return (rows[0]["people"], rows[0]["counted_at"]) if rows else None


async def count(tx: Tx) -> int:
    """Counts all units of the tenant, where it has many people; how many units there are."""
    many = await tx.value(
        f"SELECT EXISTS (SELECT FROM users WHERE tenant_id = :tenant OFFSET {FEW_PEOPLE})"  # noqa: S608
    )
    await tx.execute(
        """
        INSERT INTO unit_countings (tenant_id, due_at, people, counted_at)
        VALUES (:tenant, :due_at, :people, :counted_at)
        ON CONFLICT (tenant_id) DO UPDATE
        SET due_at = excluded.due_at, people = excluded.people, counted_at = excluded.counted_at
        """,
        due_at=tx.now + (COUNTED_EVERY if many else LOOKED_EVERY),
        people=await _count_people(tx) if many else None,
        counted_at=tx.now if many else None,
    )
    return await _count(tx) if many else 0


async def _count_people(tx: Tx) -> int:
    count: int = await tx.value("SELECT count(*) FROM users WHERE tenant_id = :tenant AND status = 'ACTIVE'")
    return count


async def _count(tx: Tx) -> int:
    return await tx.execute(
        f"""
        WITH person AS MATERIALIZED (
            SELECT id, business_unit_id, status, cnh_valid_until < :today AS is_past FROM users
            WHERE tenant_id = :tenant AND business_unit_id IS NOT NULL),
        place AS MATERIALIZED (
            SELECT person.business_unit_id, e.user_id, {OPEN} AS open,
                   {OPEN} AND e.expires_at > :now AND e.expires_at <= :until AS expiring,
                   {OPEN} AND person.is_past AND person.status = 'ACTIVE' AND c.asks AS licence,
                   date_trunc('month', e.completed_at AT TIME ZONE '{BRAZIL.key}')::date AS month
            FROM enrollments AS e JOIN person ON person.id = e.user_id
            JOIN (SELECT id, COALESCE({ASKS_FOR_LICENCE}, false) AS asks FROM courses AS c
                  WHERE tenant_id = :tenant) AS c ON c.id = e.course_id
            WHERE e.tenant_id = :tenant AND (e.status <> 'COMPLETED' OR e.completed_at >= :since)),
        summed AS (
            SELECT business_unit_id, count(*) FILTER (WHERE open) AS open,
                   count(*) FILTER (WHERE expiring) AS expiring,
                   count(DISTINCT user_id) FILTER (WHERE licence) AS licences
            FROM place GROUP BY 1),
        by_month AS (
            SELECT business_unit_id, jsonb_object_agg(month, completed) AS completions
            FROM (SELECT business_unit_id, month, count(*) AS completed FROM place
                  WHERE month IS NOT NULL GROUP BY 1, 2) AS counted GROUP BY 1),
        active AS (
            SELECT business_unit_id, count(*) AS people FROM person WHERE status = 'ACTIVE' GROUP BY 1)
        INSERT INTO unit_counters (tenant_id, business_unit_id, people, open, expiring, licences, completions,
                                   counted_at)
        SELECT :tenant, unit.id, COALESCE(active.people, 0), COALESCE(summed.open, 0),
               COALESCE(summed.expiring, 0), COALESCE(summed.licences, 0),
               COALESCE(by_month.completions, '{{}}'), :now
        FROM (SELECT id FROM business_units WHERE tenant_id = :tenant) AS unit
        LEFT JOIN active ON active.business_unit_id = unit.id
        LEFT JOIN summed ON summed.business_unit_id = unit.id
        LEFT JOIN by_month ON by_month.business_unit_id = unit.id
        ORDER BY unit.id
        ON CONFLICT (tenant_id, business_unit_id) DO UPDATE
        SET people = excluded.people, open = excluded.open, expiring = excluded.expiring,
            licences = excluded.licences, completions = excluded.completions, counted_at = excluded.counted_at
        """,  # noqa: S608
        today=tx.today.isoformat(),
        until=tx.now + SOON,
        since=tx.now - timedelta(days=400),
    )
