"""The SQL of business units."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg

from trilha.core.database import Tx, columns_of
from trilha.core.errors import Conflict, NotFound
from trilha.core.role_holders import RoleHolders
from trilha.people.business_units.schema import BusinessUnit, ListedUnit, NewBusinessUnit, PlacedUnit

MANAGERS = RoleHolders("business_unit_managers", "business_unit_id", "gestor", "manager_not_gestor")
_COLUMNS = columns_of(BusinessUnit)


async def get(tx: Tx, unit_id: UUID) -> BusinessUnit:
    """Raises NotFound."""
    unit = await tx.find(
        BusinessUnit,
        f"SELECT {_COLUMNS} FROM business_units WHERE tenant_id = :tenant AND id = :unit_id",  # noqa: S608
        unit_id=unit_id,
    )
    if unit is None:
        raise NotFound("business_unit_not_found")
    return unit


async def find_by_code(tx: Tx, code: str) -> BusinessUnit | None:
    return await tx.find(
        BusinessUnit,
        f"SELECT {_COLUMNS} FROM business_units WHERE tenant_id = :tenant AND code = :code",  # noqa: S608
        code=code,
    )


async def list_tree(tx: Tx, managed_by: UUID | None = None) -> list[PlacedUnit]:
    """Returns every unit after its parent, siblings by name; or only a manager's units and all below them."""
    return list(await walk_tree(tx, managed_by))


async def walk_tree(tx: Tx, managed_by: UUID | None = None) -> Iterator[PlacedUnit]:
    """Like `list_tree`, but lazy, for callers that need only the first units."""
    rows = await tx.rows(
        """
        SELECT id, parent_id, name, code, :manager::uuid IS NULL OR EXISTS (
            SELECT FROM business_unit_managers AS manager
            WHERE manager.tenant_id = :tenant AND manager.business_unit_id = unit.id
              AND manager.user_id = :manager) AS managed
        FROM business_units AS unit WHERE tenant_id = :tenant ORDER BY name_key DESC, id DESC
        """,
        manager=managed_by,
    )
    below: dict[UUID | None, list[Any]] = {}
    for row in rows:
        below.setdefault(row["parent_id"], []).append(row)
    return _walk(below)


def _walk(below: Mapping[UUID | None, Sequence[Any]]) -> Iterator[PlacedUnit]:
    """Walks the tree depth first. `below` has the children of each unit in reverse order."""
    # The next unit is the last of the list. We do not recurse, because a tree may be deeper than Python's
    # stack.
    waiting = [(row, list[str](), False) for row in below.get(None, ())]
    while waiting:
        row, above, within = waiting.pop()
        path, within = [*above, row["name"]], within or row["managed"]
        if within:
            yield PlacedUnit(row["id"], row["parent_id"], row["name"], row["code"], path)
        waiting += [(child, path, within) for child in below.get(row["id"], ())]


async def with_people(tx: Tx, units: Sequence[PlacedUnit]) -> list[ListedUnit]:
    """Adds the number of people and the managers' names. One count per unit, so pass only the units to
    display.
    """
    rows = await tx.rows(
        """
        SELECT unit.id,
               (SELECT count(*) FROM users
                WHERE tenant_id = :tenant AND business_unit_id = unit.id) AS people,
               ARRAY(SELECT person.name FROM business_unit_managers AS manager
                     JOIN users AS person
                       ON person.tenant_id = manager.tenant_id AND person.id = manager.user_id
                     WHERE manager.tenant_id = :tenant AND manager.business_unit_id = unit.id
                     ORDER BY person.name) AS managers
        FROM business_units AS unit WHERE unit.tenant_id = :tenant AND unit.id = ANY(:ids)
        """,
        ids=[unit.id for unit in units],
    )
    details = {row["id"]: (row["people"], row["managers"]) for row in rows}
    return [
        ListedUnit(unit.id, unit.parent_id, unit.name, unit.code, unit.path, *details.get(unit.id, (0, [])))
        for unit in units
    ]


async def insert(tx: Tx, new: NewBusinessUnit) -> BusinessUnit | None:
    """Returns None if the code is taken. Raises NotFound if the parent does not exist."""
    try:
        return await tx.find(
            BusinessUnit,
            f"""
            INSERT INTO business_units (tenant_id, parent_id, name, code, created_at, updated_at)
            VALUES (:tenant, :parent_id, :name, :code, :now, :now)
            ON CONFLICT (tenant_id, code) DO NOTHING RETURNING {_COLUMNS}
            """,  # noqa: S608
            parent_id=new.parent_id,
            name=new.name,
            code=new.code,
        )
    except asyncpg.ForeignKeyViolationError:
        raise NotFound("business_unit_not_found") from None


async def update(tx: Tx, unit_id: UUID, values: Mapping[str, Any]) -> BusinessUnit | None:
    """Returns None if there is no such unit. Raises Conflict (business_unit_code_exists)."""
    try:
        return await tx.find(
            BusinessUnit,
            f"""
            UPDATE business_units SET {", ".join(f"{name} = :{name}" for name in values)}, updated_at = :now
            WHERE tenant_id = :tenant AND id = :unit_id RETURNING {_COLUMNS}
            """,  # noqa: S608
            unit_id=unit_id,
            **values,
        )
    except asyncpg.UniqueViolationError:
        raise Conflict("business_unit_code_exists") from None


async def lock_tree(tx: Tx) -> None:
    """Makes moves within a tenant's tree wait for each other, because two at once could create a cycle.

    People can still be assigned to units meanwhile: that takes a weaker lock.
    """
    await tx.execute("SELECT id FROM business_units WHERE tenant_id = :tenant ORDER BY id FOR NO KEY UPDATE")


async def move(tx: Tx, unit_id: UUID, parent_id: UUID | None) -> BusinessUnit | None:
    """Returns None if there is no such unit, or if the parent is the unit itself or is below it."""
    try:
        return await tx.find(
            BusinessUnit,
            f"""
            WITH RECURSIVE above AS (
                SELECT id, parent_id FROM business_units
                WHERE tenant_id = :tenant AND id = CAST(:parent_id AS uuid)
                UNION
                SELECT unit.id, unit.parent_id FROM business_units AS unit JOIN above
                    ON unit.id = above.parent_id
                WHERE unit.tenant_id = :tenant)
            UPDATE business_units SET parent_id = :parent_id, updated_at = :now
            WHERE tenant_id = :tenant AND id = :unit_id AND id NOT IN (SELECT id FROM above)
            RETURNING {_COLUMNS}
            """,  # noqa: S608
            unit_id=unit_id,
            parent_id=parent_id,
        )
    except asyncpg.ForeignKeyViolationError:
        raise NotFound("business_unit_not_found") from None


async def delete(tx: Tx, unit_id: UUID) -> bool:
    """Returns False if there is no such unit. Raises Conflict (business_unit_not_empty)."""
    try:
        sql = "DELETE FROM business_units WHERE tenant_id = :tenant AND id = :unit_id"
        return bool(await tx.execute(sql, unit_id=unit_id))
    except asyncpg.ForeignKeyViolationError:
        raise Conflict("business_unit_not_empty") from None
