"""Changes to learning groups. Each one is written to the audit log."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from msgspec import UNSET

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.core.types import Timestamp
from trilha.people.learning_groups import queries
from trilha.people.learning_groups.schema import LearningGroup, LearningGroupPatch, NewLearningGroup
from trilha.platform.audit import queries as audit


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
    """Deletes the group, not its members. Raises NotFound."""
    group = await queries.get(tx, group_id)
    await queries.delete(tx, group_id)
    await audit.record(tx, "learning_group.deleted", group_id, group.name, members=group.members)


async def add_members(tx: Tx, group_id: UUID, user_ids: Collection[UUID]) -> int:
    """Adds members with one statement and returns how many are new.

    People who are members already, and unknown ids, are ignored. Raises NotFound for the group.
    """
    group = await queries.get(tx, group_id)
    added = await queries.add_members(tx, group_id, sorted(set(user_ids)))
    if added:
        await audit.record(tx, "learning_group.members_added", group_id, group.name, count=added)
    return added


async def remove_members(tx: Tx, group_id: UUID, user_ids: Collection[UUID]) -> int:
    """Removes members and returns how many there were. Raises NotFound for the group."""
    group = await queries.get(tx, group_id)
    removed = await queries.remove_members(tx, group_id, sorted(set(user_ids)))
    if removed:
        await audit.record(tx, "learning_group.members_removed", group_id, group.name, count=removed)
    return removed


async def restore_members(tx: Tx, group_id: UUID, added_at: Mapping[UUID, Timestamp]) -> int:
    """Makes removed people members again, since when they were, and returns how many. Raises NotFound for the
    group.
    """
    group = await queries.get(tx, group_id)
    restored = await queries.restore_members(tx, group_id, added_at)
    if restored:
        await audit.record(tx, "learning_group.members_added", group_id, group.name, count=restored)
    return restored
