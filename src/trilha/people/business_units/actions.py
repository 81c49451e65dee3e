"""Changes to business units. Each one is written to the audit log."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from msgspec import UNSET

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.people.business_units import queries
from trilha.people.business_units.schema import BusinessUnit, BusinessUnitPatch, NewBusinessUnit
from trilha.platform.audit import queries as audit


async def create(tx: Tx, new: NewBusinessUnit) -> BusinessUnit:
    """Creates a unit. Raises NotFound (parent) or Conflict (business_unit_code_exists)."""
    unit = await queries.insert(tx, new)
    if unit is None:
        raise Conflict("business_unit_code_exists")
    await audit.record(tx, "business_unit.created", unit.id, unit.name)
    return unit


async def update(tx: Tx, unit_id: UUID, patch: BusinessUnitPatch) -> BusinessUnit:
    """Changes the name or the code. Raises NotFound or Conflict (business_unit_code_exists)."""
    unit = await queries.get(tx, unit_id)
    values: dict[str, Any] = {
        name: value
        for name in ("name", "code")
        if (value := getattr(patch, name)) is not UNSET and value != getattr(unit, name)
    }
    changed = await queries.update(tx, unit_id, values) if values else unit
    if changed is None:
        return await queries.get(tx, unit_id)
    if values:
        await audit.record(tx, "business_unit.updated", unit.id, changed.name, changed=list(values))
    return changed


async def move(tx: Tx, unit_id: UUID, parent_id: UUID | None) -> BusinessUnit:
    """Moves a unit, with everything below it, under another unit or to the top.

    Raises NotFound for either unit, or Conflict (business_unit_below_itself).
    """
    await queries.lock_tree(tx)
    unit = await queries.get(tx, unit_id)
    if unit.parent_id == parent_id:
        return unit
    moved = await queries.move(tx, unit_id, parent_id)
    if moved is None:
        raise Conflict("business_unit_below_itself")
    await audit.record(tx, "business_unit.moved", unit_id, moved.name, parent_id=parent_id)
    return moved


async def delete(tx: Tx, unit_id: UUID) -> None:
    """Deletes an empty unit. Raises NotFound or Conflict (business_unit_not_empty)."""
    unit = await queries.get(tx, unit_id)
    await queries.delete(tx, unit_id)
    await audit.record(tx, "business_unit.deleted", unit_id, unit.name)


async def set_managers(tx: Tx, unit_id: UUID, user_ids: Collection[UUID]) -> None:
    """Replaces the unit's managers. Raises NotFound or BusinessRule (manager_not_gestor)."""
    unit = await queries.get(tx, unit_id)
    changed = await queries.MANAGERS.replace(tx, unit_id, user_ids)
    if changed:
        await audit.record(tx, "business_unit.managers_changed", unit_id, unit.name, **changed)
