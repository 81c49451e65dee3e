"""Structs of custom fields, and their values as the API takes and returns them."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from trilha.core.errors import Problem, problem
from trilha.core.types import InvalidValue, Line, Name, Text

MAX_FIELDS = 50
MAX_CHOICES = 200
FieldType = Literal["text", "number", "date", "choice"]
_KEY = re.compile("[a-z][a-z0-9_]{0,39}")


class FieldKey(Text):
    """What integrations call a custom field."""

    __slots__ = ()
    schema = {"type": "string", "pattern": f"^{_KEY.pattern}$", "examples": ["cost_center"]}
    codes = ("invalid_key",)

    @classmethod
    def normalise(cls, text: str) -> str:
        if not _KEY.fullmatch(text):
            raise InvalidValue("invalid_key")
        return text


class FieldChoice(Line, example="Turno da noite"):
    __slots__ = ()
    shortest = 1


class NewCustomField(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A custom field to create. `choices` are the allowed values of a field of the type choice."""

    key: FieldKey
    name: Name
    type: FieldType
    choices: Annotated[list[FieldChoice], Meta(max_length=MAX_CHOICES)] = []
    personal: bool = False

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if "type" in values and (values["type"] == "choice") is not bool(values.get("choices")):
            yield problem("choices", "choices_required")


class CustomFieldChange(Struct, frozen=True, kw_only=True):
    """A new name, and choices to add."""

    name: Name
    choices: Annotated[list[FieldChoice], Meta(max_length=MAX_CHOICES)] = []


class CustomField(Struct, frozen=True):
    """A field of the company's own. `choices` are the allowed values of a choice. The values of a `personal`
    one are sealed, and masked on every read.
    """

    key: Annotated[str, Meta(examples=["cost_center"])]
    name: Annotated[str, Meta(examples=["Centro de custo"])]
    type: FieldType
    choices: list[str]
    personal: bool


_MEANING = (
    "Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices. "
)
_SCHEMA: dict[str, Any] = {"additionalProperties": True}
_EXAMPLES = [{"cost_center": "4200"}]
NewValues = Annotated[
    dict[str, Any],
    Meta(
        description=f"{_MEANING}Keys that are left out do not change; null clears one.",
        max_length=MAX_FIELDS,
        examples=_EXAMPLES,
        extra_json_schema=_SCHEMA,
    ),
]
Values = Annotated[
    dict[str, Any],
    Meta(description=f"{_MEANING}Personal ones read `***`.", examples=_EXAMPLES, extra_json_schema=_SCHEMA),
]
