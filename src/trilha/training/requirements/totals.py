"""How many people are in which state, from totals that are kept with every change."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx, structs_of
from trilha.people.users.reach import MANAGED_UNITS, Reach


class Totals(Struct, frozen=True):
    """`people` are all to whom a requirement applies."""

    people: int
    valid: int
    due_soon: int
    overdue: int
    missing: int
    excused: int

    @property
    def percent(self) -> int | None:
        """The share of people who are valid or due soon, rounded down and without excused people; None if
        nobody must hold anything.
        """
        must = self.people - self.excused
        return None if must <= 0 else 100 * self.on_track // must

    @property
    def on_track(self) -> int:
        return self.people - self.excused - self.overdue - self.missing

    def __add__(self, other: "Totals") -> "Totals":
        pairs = zip(structs.astuple(self), structs.astuple(other), strict=True)
        return Totals(*(mine + its for mine, its in pairs))


def sum_up(totals: Iterable[Totals]) -> Totals:
    return sum(totals, NOBODY)


NOBODY = Totals(0, 0, 0, 0, 0, 0)
_SUMS = """
    COALESCE(sum(people), 0)::bigint AS people,
    COALESCE(sum(people) FILTER (WHERE state = 'VALID'), 0)::bigint AS valid,
    COALESCE(sum(people) FILTER (WHERE state = 'DUE_SOON'), 0)::bigint AS due_soon,
    COALESCE(sum(people) FILTER (WHERE state = 'OVERDUE'), 0)::bigint AS overdue,
    COALESCE(sum(people) FILTER (WHERE state = 'MISSING'), 0)::bigint AS missing,
    COALESCE(sum(people) FILTER (WHERE state = 'EXCUSED'), 0)::bigint AS excused
"""


async def count(tx: Tx, requirement_ids: Sequence[UUID], reach: Reach) -> dict[UUID, Totals]:
    """Counts by requirement: everybody, or the people of a manager's units."""
    where = "true" if reach.is_everyone else f"business_unit_id = ANY(ARRAY({MANAGED_UNITS}))"
    params = {} if reach.is_everyone else {"reach_user": reach.user_id}
    rows = await tx.rows(
        f"""
        SELECT requirement_id, {_SUMS} FROM requirement_totals
        WHERE tenant_id = :tenant AND requirement_id = ANY(:ids) AND {where} GROUP BY requirement_id
        """,  # noqa: S608
        ids=requirement_ids,
        **params,
    )
    ids = [row["requirement_id"] for row in rows]
    return dict(zip(ids, structs_of(Totals, rows), strict=True))


# The figures of an earlier time: those of today, without the people who have changed since then, and with
# where these stood before.
_PAST_FIGURES = """
    SELECT requirement_id, business_unit_id, state, people FROM requirement_totals WHERE tenant_id = :tenant
    UNION ALL
    SELECT changed.requirement_id, now.business_unit_id, now.state, -1 FROM changed
    JOIN requirement_people AS now ON now.tenant_id = :tenant AND now.requirement_id = changed.requirement_id
        AND now.user_id = changed.user_id
    WHERE changed.tenant_id = :tenant
    UNION ALL
    SELECT changed.requirement_id, before.business_unit_id, before.state, 1 FROM changed CROSS JOIN LATERAL (
        SELECT past.business_unit_id, past.state FROM requirement_history AS past
        WHERE past.tenant_id = :tenant AND past.requirement_id = changed.requirement_id
          AND past.user_id = changed.user_id AND past.changed_at < :at
        ORDER BY past.changed_at DESC LIMIT 1) AS before
    WHERE changed.tenant_id = :tenant AND before.state IS NOT NULL"""
_CHANGED_PEOPLE = """
    changed AS (
        SELECT DISTINCT tenant_id, requirement_id, user_id FROM requirement_history
        WHERE tenant_id = :tenant AND changed_at >= :at),"""


async def count_below(
    tx: Tx, unit_ids: Sequence[UUID], requirement_ids: Sequence[UUID], at: datetime | None = None
) -> dict[tuple[UUID, UUID], Totals]:
    """Counts by unit, with the units below it, and requirement. With `at`, counts who stood where at that
    time; this takes longer the more has changed since then.
    """
    source = "SELECT * FROM requirement_totals WHERE tenant_id = :tenant" if at is None else _PAST_FIGURES
    rows = await tx.rows(
        f"""
        WITH RECURSIVE below AS (
            SELECT id AS top_id, id FROM business_units WHERE tenant_id = :tenant AND id = ANY(:units)
            UNION
            SELECT below.top_id, unit.id FROM business_units AS unit
            JOIN below ON unit.parent_id = below.id WHERE unit.tenant_id = :tenant),
        {_CHANGED_PEOPLE if at else ""}
        counts AS (
            SELECT requirement_id, business_unit_id, state, sum(people) AS people FROM ({source}) AS source
            WHERE requirement_id = ANY(:ids) GROUP BY requirement_id, business_unit_id, state)
        SELECT below.top_id, counts.requirement_id, {_SUMS}
        FROM below JOIN counts ON counts.business_unit_id = below.id
        GROUP BY below.top_id, counts.requirement_id
        """,  # noqa: S608
        units=unit_ids,
        ids=requirement_ids,
        **({"at": at} if at else {}),
    )
    keys = [(row["top_id"], row["requirement_id"]) for row in rows]
    return dict(zip(keys, structs_of(Totals, rows), strict=True))
