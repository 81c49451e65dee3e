"""Changes that a provider makes to a group."""

from uuid import UUID

from msgspec import UNSET, Struct

from trilha.access.scim.errors import build_error, not_found
from trilha.access.scim.groups import queries
from trilha.access.scim.groups.schema import Change, ScimGroup
from trilha.core.database import Tx
from trilha.core.types import InvalidValue, Name
from trilha.people.learning_groups import actions as learning_groups
from trilha.people.learning_groups.schema import LearningGroupPatch, NewLearningGroup


class GroupChange(Struct, frozen=True):
    """A group after a change, and the names of the changed attributes."""

    group: ScimGroup
    changed: list[str]


async def lock(tx: Tx, group_id: UUID) -> ScimGroup:
    """Locks and returns a group. Raises ScimError."""
    group = await queries.lock(tx, group_id)
    if group is None:
        raise not_found("group")
    return group


async def create(tx: Tx, change: Change) -> GroupChange:
    """Creates a group. Raises ScimError or Conflict (learning_group_exists)."""
    assert isinstance(change.display_name, str)
    external_id = None if change.external_id is UNSET else change.external_id
    group = await learning_groups.create(tx, NewLearningGroup(name=_name(change.display_name)))
    await queries.save(tx, group.id, external_id)
    await _change_members(tx, group.id, change)
    names = [("displayName", True), ("externalId", external_id), ("members", change.steps[0].members)]
    return GroupChange(await _get(tx, group.id), [name for name, value in names if value])


async def apply(tx: Tx, before: ScimGroup, change: Change) -> GroupChange:
    """Changes a locked group. Unknown ids of members are ignored. Raises like `create`."""
    changed = []
    if change.display_name is not UNSET and _name(change.display_name) != before.display_name:
        await learning_groups.update(tx, before.id, LearningGroupPatch(name=_name(change.display_name)))
        changed.append("displayName")
    external_id = before.external_id if change.external_id is UNSET else change.external_id
    if external_id != before.external_id:
        changed.append("externalId")
    if await _change_members(tx, before.id, change):
        changed.append("members")
    if not changed:
        return GroupChange(before, [])
    await queries.save(tx, before.id, external_id)
    return GroupChange(await _get(tx, before.id), changed)


async def _change_members(tx: Tx, group_id: UUID, change: Change) -> int:
    """Returns how many members were added or removed. Takes one statement for each, however many members
    there are.
    """
    if not change.steps:
        return 0
    before = await queries.member_ids(tx, group_id)
    members = set(before)
    for step in change.steps:
        if step.kind == "set":
            members = set(step.members)
        elif step.kind == "add":
            members |= step.members
        else:
            members -= step.members
    removed_ids = before - members
    removed = await learning_groups.remove_members(tx, group_id, removed_ids) if removed_ids else 0
    added_ids = members - before
    return removed + (await learning_groups.add_members(tx, group_id, added_ids) if added_ids else 0)


async def delete(tx: Tx, group: ScimGroup) -> None:
    await learning_groups.delete(tx, group.id)


def _name(text: str) -> Name:
    try:
        return Name.parse(text)
    except InvalidValue:
        raise build_error("invalidValue", "The displayName must have 1 to 120 characters.") from None


async def _get(tx: Tx, group_id: UUID) -> ScimGroup:
    group = await queries.find(tx, group_id)
    assert group is not None
    return group
