"""Figures of each business unit's people and of the whole company, counted by the worker for readers who
reach many people.

They are at most `COUNTED_EVERY` old. For a few people, figures are counted on request instead.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from msgspec import Struct

from trilha.core.clock import BRAZIL
from trilha.core.database import Search, Tx
from trilha.core.jobs import each_tenant_once
from trilha.core.lists import Count
from trilha.core.types import Timestamp
from trilha.people.users.reach import Reach
from trilha.training.enrollments.lists import SOON

# For more people than this, the worker's counters are shown.
FEW_PEOPLE = 2000
COUNTED_EVERY = timedelta(minutes=10)
# If there were few people, the number is counted again, because it may have grown.
LOOKED_EVERY = timedelta(hours=1)
OPEN = "e.status IN ('NOT_STARTED', 'IN_PROGRESS')"
ASKS_FOR_LICENCE = "c.regulation -> 'required_profile_fields' ? 'cnh'"
# The first day of the month of a completion.
MONTH = f"date_trunc('month', e.completed_at AT TIME ZONE '{BRAZIL.key}')::date"
_TENANTS_WITH_PEOPLE = each_tenant_once("users", "true")
_DUE = """
    SELECT with_people.tenant_id FROM ({}) AS with_people
    WHERE NOT EXISTS (SELECT FROM unit_countings AS counting
                      WHERE counting.tenant_id = with_people.tenant_id AND counting.due_at > :now)
"""
DUE = Search(_DUE.format(_TENANTS_WITH_PEOPLE.everywhere), _DUE.format(_TENANTS_WITH_PEOPLE.among))


class Counts(Struct, frozen=True):
    """`people` are active. `open` are enrollments neither completed nor expired, `expired` those that passed
    their due date, and `expiring` those that end within SOON. `licences` are people in a course that
    requires a driver's license and whose own has expired. `completions` are by the first day of the month.
    `counted_at` is the time of the worker's count, if it counted.
    """

    people: Count
    open: int
    expired: int | None
    expiring: Count
    licences: Count
    completions: Mapping[date, int]
    counted_at: Timestamp | None = None


async def find(tx: Tx, reach: Reach) -> Counts | None:
    """Returns the counts of everybody, or of a manager's units. Returns None if these people are few or not
    counted yet.
    """
    rows = await (_of_company(tx) if reach.is_everyone else _of_units(tx, reach))
    if not rows or rows[0]["open"] is None:
        return None
    found = dict(rows[0])
    months = {date.fromisoformat(month): count for month, count in (found.pop("completions") or {}).items()}
    found |= {name: Count(found[name]) for name in ("people", "expiring", "licences")}
    return Counts(**found, completions=months)


async def _of_company(tx: Tx) -> Sequence[Any]:
    return await tx.rows(
        """
        SELECT people, open, expired, expiring, licences, completions, counted_at
        FROM unit_countings WHERE tenant_id = :tenant
        """
    )


async def _of_units(tx: Tx, reach: Reach) -> Sequence[Any]:
    people, params = reach.condition("u")
    units, _ = reach.units("n")
    return await tx.rows(
        f"""
        WITH unit AS MATERIALIZED (
            SELECT * FROM unit_counters AS n
            WHERE n.tenant_id = :tenant AND {units} AND EXISTS (
                SELECT FROM users AS u WHERE u.tenant_id = :tenant AND {people} OFFSET {FEW_PEOPLE}))
        SELECT sum(people) AS people, sum(open) AS open, sum(expired) AS expired, sum(expiring) AS expiring,
               sum(licences) AS licences, min(counted_at) AS counted_at, (
                   SELECT jsonb_object_agg(month, completed)
                   FROM (SELECT month.key AS month, sum(month.value::bigint) AS completed
                         FROM unit CROSS JOIN LATERAL jsonb_each_text(unit.completions) AS month
                         GROUP BY 1) AS counted) AS completions
        FROM unit
        """,  # noqa: S608
        **params,
    )


async def count(tx: Tx) -> int:
    """Counts the tenant's units and, if it is large, the whole company; returns the number of units."""
    many = await tx.value(
        f"SELECT EXISTS (SELECT FROM users WHERE tenant_id = :tenant OFFSET {FEW_PEOPLE})"  # noqa: S608
    )
    if many:
        return await _count(tx)
    await tx.execute(
        """
        INSERT INTO unit_countings (tenant_id, due_at) VALUES (:tenant, :due_at)
        ON CONFLICT (tenant_id) DO UPDATE
        SET due_at = excluded.due_at, people = NULL, counted_at = NULL, open = NULL, expired = NULL,
            expiring = NULL, licences = NULL, completions = NULL
        """,
        due_at=tx.now + LOOKED_EVERY,
    )
    return 0


async def _count(tx: Tx) -> int:
    # People without a unit are stored under the tenant's id, which no unit has.
    count: int = await tx.value(
        f"""
        WITH person AS MATERIALIZED (
            SELECT id, COALESCE(business_unit_id, tenant_id) AS unit_id, status,
                   cnh_valid_until < :today AS is_past
            FROM users WHERE tenant_id = :tenant),
        place AS MATERIALIZED (
            SELECT person.unit_id, e.user_id, {OPEN} AS open, e.status = 'EXPIRED' AS expired,
                   {OPEN} AND e.expires_at > :now AND e.expires_at <= :until AS expiring,
                   {OPEN} AND person.is_past AND person.status = 'ACTIVE' AND c.asks AS licence,
                   {MONTH} AS month
            FROM enrollments AS e JOIN person ON person.id = e.user_id
            JOIN (SELECT id, COALESCE({ASKS_FOR_LICENCE}, false) AS asks FROM courses AS c
                  WHERE tenant_id = :tenant) AS c ON c.id = e.course_id
            WHERE e.tenant_id = :tenant AND (e.status <> 'COMPLETED' OR e.completed_at >= :since)),
        summed AS (
            SELECT unit_id, count(*) FILTER (WHERE open) AS open, count(*) FILTER (WHERE expired) AS expired,
                   count(*) FILTER (WHERE expiring) AS expiring,
                   count(DISTINCT user_id) FILTER (WHERE licence) AS licences
            FROM place GROUP BY 1),
        by_month AS MATERIALIZED (
            SELECT unit_id, month, count(*) AS completed FROM place WHERE month IS NOT NULL GROUP BY 1, 2),
        completed AS (
            SELECT unit_id, jsonb_object_agg(month, completed) AS completions FROM by_month GROUP BY 1),
        active AS (
            SELECT unit_id, count(*) AS people FROM person WHERE status = 'ACTIVE' GROUP BY 1),
        counted AS MATERIALIZED (
            SELECT unit.id, COALESCE(active.people, 0) AS people, COALESCE(summed.open, 0) AS open,
                   COALESCE(summed.expired, 0) AS expired, COALESCE(summed.expiring, 0) AS expiring,
                   COALESCE(summed.licences, 0) AS licences,
                   COALESCE(completed.completions, '{{}}') AS completions
            FROM (SELECT id FROM business_units WHERE tenant_id = :tenant
                  UNION ALL SELECT CAST(:tenant AS uuid)) AS unit
            LEFT JOIN active ON active.unit_id = unit.id
            LEFT JOIN summed ON summed.unit_id = unit.id
            LEFT JOIN completed ON completed.unit_id = unit.id),
        units AS (
            INSERT INTO unit_counters (tenant_id, business_unit_id, people, open, expired, expiring, licences,
                                       completions, counted_at)
            SELECT :tenant, id, people, open, expired, expiring, licences, completions, :now
            FROM counted WHERE id <> :tenant ORDER BY id
            ON CONFLICT (tenant_id, business_unit_id) DO UPDATE
            SET people = excluded.people, open = excluded.open, expired = excluded.expired,
                expiring = excluded.expiring, licences = excluded.licences,
                completions = excluded.completions, counted_at = excluded.counted_at
            RETURNING 1)
        INSERT INTO unit_countings (tenant_id, due_at, people, open, expired, expiring, licences, completions,
                                    counted_at)
        SELECT :tenant, :due_at, sum(people), sum(open), sum(expired), sum(expiring), sum(licences), (
            SELECT COALESCE(jsonb_object_agg(month, completed), '{{}}')
            FROM (SELECT month, sum(completed) AS completed FROM by_month GROUP BY 1) AS months), :now
        FROM counted
        ON CONFLICT (tenant_id) DO UPDATE
        SET due_at = excluded.due_at, people = excluded.people, open = excluded.open,
            expired = excluded.expired, expiring = excluded.expiring, licences = excluded.licences,
            completions = excluded.completions, counted_at = excluded.counted_at
        RETURNING (SELECT count(*) FROM units)
        """,  # noqa: S608
        today=tx.today.isoformat(),
        until=tx.now + SOON,
        since=tx.now - timedelta(days=400),
        due_at=tx.now + COUNTED_EVERY,
    )
    return count
