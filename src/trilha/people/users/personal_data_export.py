"""The export of a person's custom fields."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.feature import ExportPart, ExportReader
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.custom_fields.schema import FieldType
from trilha.people.users import queries


class CustomFieldValue(Struct, frozen=True):
    """A value of one of the company's own fields, with the field's name. Personal values are masked."""

    key: str
    name: str
    type: FieldType
    personal: bool
    value: Annotated[str | int | float, Meta(examples=["4200"])]


async def _list_values(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[CustomFieldValue]]:
    """In the company's order."""
    async with reader.transaction() as tx:
        values = (await queries.get(tx, user_id)).custom_fields
        fields = await custom_fields.list_fields(tx)
    yield [
        CustomFieldValue(field.key, field.name, field.type, field.personal, values[field.key])
        for field in fields
        if field.key in values
    ]


EXPORT = (ExportPart("custom_fields", CustomFieldValue, _list_values),)
