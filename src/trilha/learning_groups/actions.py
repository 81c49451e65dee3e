"""What can be done to a learning group. Each change is on the audit record."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from msgspec import UNSET

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.learning_groups import queries
from trilha.learning_groups.schema import LearningGroup, LearningGroupPatch, NewLearningGroup


async def create(tx: Tx, new: NewLearningGroup) -> LearningGroup:
    """Raises Conflict (learning_group_exists)."""
    group_id = await queries.insert(tx, new)
    if group_id is None:
        raise Conflict("learning_group_exists")
    await audit.record(tx, "learning_group.created", group_id, new.name)
    return await queries.get(tx, group_id)


async def update(tx: Tx, group_id: UUID, patch: LearningGroupPatch) -> LearningGroup:
    """Raises NotFound, and Conflict (learning_group_exists)."""
    group = await queries.get(tx, group_id)
    values: dict[str, Any] = {
        name: value
        for name in ("name", "description")
        if (value := getattr(patch, name)) is not UNSET and value != getattr(group, name)
    }
    if not values:
        return group
    await queries.update(tx, group_id, values)
    changed = await queries.get(tx, group_id)
    await audit.record(tx, "learning_group.updated", group_id, changed.name, changed=list(values))
    return changed


async def delete(tx: Tx, group_id: UUID) -> None:
    """The group; its members stay people of the tenant. Raises NotFound."""
    group = await queries.get(tx, group_id)
    await queries.delete(tx, group_id)
    await audit.record(tx, "learning_group.deleted", group_id, group.name, members=group.members)


async def add_members(tx: Tx, group_id: UUID, user_ids: Collection[UUID]) -> int:
    """How many became members: those who were are no change, ids of nobody are passed over.

    One statement, however many. Raises NotFound for the group.
    """
    group = await queries.get(tx, group_id)
    added = await queries.add_members(tx, group_id, sorted(set(user_ids)))
    if added:
        await audit.record(tx, "learning_group.members_added", group_id, group.name, count=added)
    return added


async def remove_members(tx: Tx, group_id: UUID, user_ids: Collection[UUID]) -> int:
    """How many were members and are no more. Raises NotFound for the group."""
    group = await queries.get(tx, group_id)
    removed = await queries.remove_members(tx, group_id, sorted(set(user_ids)))
    if removed:
        await audit.record(tx, "learning_group.members_removed", group_id, group.name, count=removed)
    return removed
