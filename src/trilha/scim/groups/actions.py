"""What a provider can do to a group."""

from uuid import UUID

from msgspec import UNSET, Struct

from trilha.core.database import Tx
from trilha.core.types import Name, Refused
from trilha.learning_groups import actions as learning_groups
from trilha.learning_groups.schema import LearningGroupPatch, NewLearningGroup
from trilha.scim.errors import not_found, refused
from trilha.scim.groups import queries
from trilha.scim.groups.schema import Change, ScimGroup


class Kept(Struct, frozen=True):
    """A group after a change, and the names of the attributes that it changed."""

    group: ScimGroup
    changed: list[str]


async def lock(tx: Tx, group_id: UUID) -> ScimGroup:
    """Raises ScimError."""
    found = await queries.lock(tx, group_id)
    if found is None:
        raise not_found("group")
    return found


async def create(tx: Tx, change: Change) -> Kept:
    """Raises ScimError, and Conflict (learning_group_exists)."""
    assert isinstance(change.display_name, str)
    external_id = None if change.external_id is UNSET else change.external_id
    group = await learning_groups.create(tx, NewLearningGroup(name=_name(change.display_name)))
    await queries.save(tx, group.id, external_id)
    await _change_members(tx, group.id, change)
    names = [("displayName", True), ("externalId", external_id), ("members", change.steps[0].members)]
    return Kept(await _get(tx, group.id), [name for name, given in names if given])


async def apply(tx: Tx, before: ScimGroup, change: Change) -> Kept:
    """Of a group that is locked. Ids of nobody are passed over. Raises as `create`."""
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
        return Kept(before, [])
    await queries.save(tx, before.id, external_id)
    return Kept(await _get(tx, before.id), changed)


async def _change_members(tx: Tx, group_id: UUID, change: Change) -> int:
    """How many came or went. However many are named, a statement for those who come and one for who go."""
    if not change.steps:
        return 0
    before = await queries.member_ids(tx, group_id)
    wanted = set(before)
    for step in change.steps:
        if step.kind == "set":
            wanted = set(step.members)
        elif step.kind == "add":
            wanted |= step.members
        else:
            wanted -= step.members
    gone = before - wanted
    removed = await learning_groups.remove_members(tx, group_id, gone) if gone else 0
    come = wanted - before
    return removed + (await learning_groups.add_members(tx, group_id, come) if come else 0)


async def delete(tx: Tx, group: ScimGroup) -> None:
    await learning_groups.delete(tx, group.id)


def _name(text: str) -> Name:
    try:
        return Name.parse(text)
    except Refused:
        raise refused("invalidValue", "A group has a displayName of 1 to 120 characters.") from None


async def _get(tx: Tx, group_id: UUID) -> ScimGroup:
    found = await queries.find(tx, group_id)
    assert found is not None
    return found
