"""Changes to custom fields. Each is written to the audit log."""

from collections.abc import Sequence
from uuid import UUID

import trilha.people.custom_fields.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.people.custom_fields import queries
from trilha.people.custom_fields.schema import MAX_CHOICES, MAX_FIELDS, CustomField, NewCustomField
from trilha.platform.audit import queries as audit

_NOBODY = UUID(int=0)  # a field has a key instead of an id


async def create(tx: Tx, new: NewCustomField) -> CustomField:
    """Raises Conflict (custom_field_exists, too_many_custom_fields)."""
    await queries.lock_creation(tx)
    if len(await queries.list_fields(tx)) >= MAX_FIELDS:
        raise Conflict("too_many_custom_fields")
    if not await queries.insert(tx, new):
        raise Conflict("custom_field_exists")
    await audit.record(tx, "custom_field.created", _NOBODY, new.key, type=new.type, personal=new.personal)
    return CustomField(new.key, new.name, new.type, list(new.choices), new.personal)


async def change(tx: Tx, key: str, name: str, choices: Sequence[str]) -> None:
    """Changes the name and adds choices. Choices that exist remain, because people and rules may have them.
    Raises NotFound or Invalid (too_long).
    """
    fields = {each.key: each for each in await queries.list_fields(tx)}
    if key not in fields:
        raise NotFound("custom_field_not_found")
    before = fields[key]
    wanted = list(dict.fromkeys((*before.choices, *choices))) if before.type == "choice" else []
    if len(wanted) > MAX_CHOICES:
        raise invalid("choices", "too_long")
    if (name, wanted) != (before.name, before.choices):
        await queries.update(tx, key, name, wanted)
        await audit.record(tx, "custom_field.updated", _NOBODY, key)


async def lock(tx: Tx, key: str) -> CustomField:
    """Locks a field until the transaction ends. Raises NotFound."""
    field = await queries.find_for_update(tx, key)
    if field is None:
        raise NotFound("custom_field_not_found")
    return field


async def delete(tx: Tx, key: str) -> None:
    """Deletes a field, but not its values: call `training.requirements.field_deletion` for both."""
    await queries.delete(tx, key)
    await audit.record(tx, "custom_field.deleted", _NOBODY, key)
