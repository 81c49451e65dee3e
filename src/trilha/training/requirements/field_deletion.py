"""Deletes custom fields of people, unless a requirement's rule uses them."""

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.people.custom_fields import actions as custom_fields
from trilha.people.custom_fields.schema import CustomField
from trilha.people.users import field_removal
from trilha.training.requirements import queries
from trilha.training.requirements.conditions import CUSTOM


async def delete_field(tx: Tx, key: str) -> CustomField:
    """Deletes a field and everybody's values of it, and returns the field.

    Raises NotFound or Conflict (custom_field_in_use).
    """
    field = await custom_fields.lock(tx, key)
    # Read after taking the lock, so that no rule is stored meanwhile.
    if titles := await list_uses(tx, key):
        raise Conflict("custom_field_in_use", requirements=titles)
    await field_removal.remove_values(tx, field)
    await custom_fields.delete(tx, key)
    return field


async def list_uses(tx: Tx, key: str) -> list[str]:
    """Returns the titles of the requirements whose rules use the field."""
    return await queries.list_titles_with_field(tx, f"{CUSTOM}{key}")
