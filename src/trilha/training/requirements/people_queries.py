"""The SQL of people, their learning, and where they stand with each requirement."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.training.requirements.conditions import Person
from trilha.training.requirements.standing import State

# How many courses one reminder by hand names.
MAX_REMINDED = 10
NO_UNIT = UUID(int=0)


class Row(Struct, frozen=True):
    """A person to whom a requirement applies, as stored. Times are as in JSON."""

    requirement_id: UUID
    user_id: UUID
    applies_since: str
    state: State
    due_at: str | None
    valid_until: str | None
    enrollment_id: UUID | None
    business_unit_id: UUID
    next_at: str | None
    problem: str | None
    satisfied_by: UUID | None
    overdue_at: str | None


class LearningRow(Struct, frozen=True):
    """A completed or an open enrollment. `completed_at` is None for an open one."""

    id: UUID
    user_id: UUID
    course_id: UUID
    status: str
    completed_at: str | None
    due_at: str | None
    required_by: UUID | None
    renewable_from: str | None
    current: bool | None


class Excuse(Struct, frozen=True):
    """`until` of None: for good."""

    requirement_id: UUID
    user_id: UUID
    reason: str
    until: str | None


_PEOPLE = """
    SELECT u.id, u.business_unit_id, u.department, u.job_title, u.role, u.hire_date, u.custom_fields,
           ARRAY(SELECT m.group_id::text FROM learning_group_members m
                 WHERE m.tenant_id = :tenant AND m.user_id = u.id) AS groups
    FROM users u WHERE u.tenant_id = :tenant AND u.status = 'ACTIVE' AND u.erased_at IS NULL
"""


async def list_people(tx: Tx, user_ids: Sequence[UUID], parents: Mapping[UUID, UUID | None]) -> list[Person]:
    """Returns those of these people who are active."""
    return _read_people(await tx.rows(f"{_PEOPLE} AND u.id = ANY(:ids)", ids=user_ids), parents)


async def list_next_people(
    tx: Tx, after: UUID | None, limit: int, parents: Mapping[UUID, UUID | None]
) -> list[Person]:
    """Returns the next active people in the order of their ids."""
    rows = await tx.rows(
        f"{_PEOPLE} AND u.id > :after ORDER BY u.id LIMIT :limit", after=after or UUID(int=0), limit=limit
    )
    return _read_people(rows, parents)


def _read_people(rows: Sequence[Any], parents: Mapping[UUID, UUID | None]) -> list[Person]:
    above: dict[UUID | None, frozenset[str]] = {None: frozenset()}
    return [
        Person(
            row["id"],
            row["business_unit_id"],
            _list_above(row["business_unit_id"], parents, above),
            row["department"],
            row["job_title"],
            row["role"],
            row["hire_date"],
            frozenset(row["groups"]),
            row["custom_fields"],
        )
        for row in rows
    ]


def _list_above(
    unit_id: UUID | None, parents: Mapping[UUID, UUID | None], above: dict[UUID | None, frozenset[str]]
) -> frozenset[str]:
    """Returns a unit and those above it. `above` remembers what was returned before."""
    if unit_id not in above:
        units, parent = set[str](), unit_id
        while parent is not None and str(parent) not in units:
            units.add(str(parent))
            parent = parents.get(parent)
        above[unit_id] = frozenset(units)
    return above[unit_id]


async def list_next_ids(tx: Tx, after: UUID | None, limit: int) -> list[UUID]:
    """Returns the next users of any status in the order of their ids."""
    rows = await tx.rows(
        "SELECT id FROM users WHERE tenant_id = :tenant AND id > :after ORDER BY id LIMIT :limit",
        after=after or UUID(int=0),
        limit=limit,
    )
    return [row["id"] for row in rows]


async def list_rows(tx: Tx, user_ids: Sequence[UUID]) -> list[Row]:
    return await tx.list(
        Row,
        f"""
        SELECT {columns_of(Row)} FROM requirement_people
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids)
        """,  # noqa: S608
        user_ids=user_ids,
    )


async def list_learning(tx: Tx, user_ids: Sequence[UUID], course_ids: Sequence[UUID]) -> list[LearningRow]:
    """Returns completed enrollments in their order, and open ones."""
    return await tx.list(
        LearningRow,
        f"""
        SELECT {columns_of(LearningRow)} FROM enrollments
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids) AND course_id = ANY(:course_ids)
          AND (status = 'COMPLETED' OR (current AND status IN ('NOT_STARTED', 'IN_PROGRESS')
                                        AND (expires_at IS NULL OR expires_at > :now)))
        ORDER BY completed_at, id
        """,  # noqa: S608
        user_ids=user_ids,
        course_ids=course_ids,
    )


async def list_on_path(tx: Tx, path_id: UUID, user_ids: Sequence[UUID]) -> set[UUID]:
    """Returns those of these people who are on a learning path."""
    rows = await tx.rows(
        """
        SELECT user_id FROM learning_path_assignments
        WHERE tenant_id = :tenant AND path_id = :path_id AND user_id = ANY(:user_ids)
        """,
        path_id=path_id,
        user_ids=user_ids,
    )
    return {row["user_id"] for row in rows}


async def list_excuses(tx: Tx, user_ids: Sequence[UUID]) -> list[Excuse]:
    """Returns the excuses that hold now."""
    return await tx.list(
        Excuse,
        f"""
        SELECT {columns_of(Excuse)} FROM requirement_excuses
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids) AND (until IS NULL OR until > :now)
        """,  # noqa: S608
        user_ids=user_ids,
    )


_TYPES = {
    "requirement_id": "uuid",
    "user_id": "uuid",
    "applies_since": "timestamptz",
    "state": "text",
    "due_at": "timestamptz",
    "valid_until": "timestamptz",
    "enrollment_id": "uuid",
    "business_unit_id": "uuid",
    "next_at": "timestamptz",
    "problem": "text",
    "satisfied_by": "uuid",
    "overdue_at": "timestamptz",
}


async def put_rows(tx: Tx, rows: Sequence[Row]) -> None:
    """Inserts or replaces rows."""
    names = Row.__struct_fields__
    changes = ", ".join(f"{name} = excluded.{name}" for name in names[2:])
    await tx.execute(
        f"""
        INSERT INTO requirement_people (tenant_id, {", ".join(names)})
        SELECT :tenant, new.* FROM unnest({", ".join(f":{n}::{_TYPES[n]}[]" for n in names)}) AS new
        ON CONFLICT (tenant_id, requirement_id, user_id) DO UPDATE SET {changes}
        """,  # noqa: S608
        **{name: [getattr(row, name) for row in rows] for name in names},
    )


async def delete_rows(tx: Tx, rows: Sequence[Row]) -> None:
    await tx.execute(
        """
        DELETE FROM requirement_people WHERE tenant_id = :tenant AND (requirement_id, user_id) IN (
            SELECT old.* FROM unnest(:requirements::uuid[], :users::uuid[]) AS old)
        """,
        requirements=[row.requirement_id for row in rows],
        users=[row.user_id for row in rows],
    )


class StateChange(Struct, frozen=True):
    """`state` of None: the requirement ceased to apply."""

    requirement_id: UUID
    user_id: UUID
    state: State | None
    business_unit_id: UUID


async def add_history(tx: Tx, changes: Sequence[StateChange]) -> None:
    await tx.execute(
        """
        INSERT INTO requirement_history (tenant_id, requirement_id, user_id, state, business_unit_id,
                                         changed_at)
        SELECT :tenant, new.*, :now
        FROM unnest(:requirements::uuid[], :users::uuid[], :states::text[], :units::uuid[]) AS new
        RETURNING tenant_id
        """,
        requirements=[each.requirement_id for each in changes],
        users=[each.user_id for each in changes],
        states=[each.state for each in changes],
        units=[each.business_unit_id for each in changes],
    )


async def add_totals(tx: Tx, deltas: Mapping[tuple[UUID, UUID, State], int]) -> None:
    """Adds to the totals by requirement, unit and state."""
    await tx.execute(
        """
        INSERT INTO requirement_totals AS total (tenant_id, requirement_id, business_unit_id, state, people)
        SELECT :tenant, new.* FROM unnest(:requirements::uuid[], :units::uuid[], :states::text[],
                                          :people::integer[]) AS new
        ON CONFLICT (tenant_id, requirement_id, business_unit_id, state)
        DO UPDATE SET people = total.people + excluded.people
        """,
        requirements=[requirement for requirement, _, _ in deltas],
        units=[unit for _, unit, _ in deltas],
        states=[state for _, _, state in deltas],
        people=list(deltas.values()),
    )


async def set_due_dates(
    tx: Tx, due_dates: Mapping[UUID, datetime | None], required_by: Mapping[UUID, UUID]
) -> None:
    """Sets the due dates of open enrollments, and which requirement made the new ones."""
    await tx.execute(
        """
        UPDATE all_enrollments AS e
        SET due_at = new.due_at, required_by = COALESCE(new.required_by, e.required_by)
        FROM unnest(:ids::uuid[], :dues::timestamptz[], :requirements::uuid[])
             AS new (id, due_at, required_by)
        WHERE e.tenant_id = :tenant AND e.id = new.id
        """,
        ids=list(due_dates),
        dues=list(due_dates.values()),
        requirements=[required_by.get(each) for each in due_dates],
    )


async def set_renewable_from(tx: Tx, openings: Mapping[UUID, datetime | None]) -> None:
    """Sets from when the people of these completed enrollments may be enrolled again."""
    await tx.execute(
        """
        UPDATE all_enrollments AS e SET renewable_from = new.renewable_from
        FROM unnest(:ids::uuid[], :openings::timestamptz[]) AS new (id, renewable_from)
        WHERE e.tenant_id = :tenant AND e.id = new.id
        """,
        ids=list(openings),
        openings=list(openings.values()),
    )


async def list_enrollments_to_remind(
    tx: Tx, user_ids: Sequence[UUID], requirement_id: UUID | None
) -> dict[UUID, list[UUID]]:
    """Returns the open enrollments of these people that requirements ask for and that are not excused, the
    earliest due date first: of all requirements, or of this one.
    """
    rows = await tx.rows(
        f"""
        SELECT standing.user_id, standing.enrollment_id FROM requirement_people AS standing
        JOIN enrollments AS e ON e.tenant_id = :tenant AND e.id = standing.enrollment_id
        WHERE standing.tenant_id = :tenant AND standing.user_id = ANY(:user_ids)
          AND standing.state NOT IN ('VALID', 'EXCUSED') AND e.status <> 'COMPLETED'
          {"AND standing.requirement_id = :requirement_id" if requirement_id else ""}
        ORDER BY standing.due_at, standing.enrollment_id
        """,  # noqa: S608
        user_ids=user_ids,
        **({"requirement_id": requirement_id} if requirement_id else {}),
    )
    enrollments: dict[UUID, list[UUID]] = {}
    for row in rows:
        own = enrollments.setdefault(row["user_id"], [])
        if row["enrollment_id"] not in own and len(own) < MAX_REMINDED:
            own.append(row["enrollment_id"])
    return enrollments
