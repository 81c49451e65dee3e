"""Removes the values of a custom field from everybody who has one."""

from trilha.core.database import Tx
from trilha.people.custom_fields import values as custom_values
from trilha.people.custom_fields.schema import CustomField
from trilha.people.custom_fields.values import CheckedValues
from trilha.people.users import bulk_queries, queries

_TOGETHER = 500  # people per statement


async def remove_values(tx: Tx, field: CustomField) -> int:
    """Removes the field's values, sealed ones too, and returns the number of people who had one."""
    cleared = CheckedValues({field.key: None}, frozenset({field.key} if field.personal else ()))
    removed = 0
    while people := await queries.lock_people_with_field(tx, field.key, _TOGETHER):
        columns = {
            person.id: custom_values.build_columns(
                tx, person.id, person.custom_fields, person.custom_fields_sealed, cleared
            )
            for person in people
        }
        await bulk_queries.update_many(tx, columns)
        removed += len(people)
    return removed
