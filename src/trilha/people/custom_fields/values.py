"""Checks the values of custom fields, and stores them: personal ones are sealed."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any
from uuid import UUID

import msgspec

import trilha.people.custom_fields.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import Invalid, Problem, problem
from trilha.core.moments import parse_iso_day
from trilha.core.resealing.columns import SealedColumn
from trilha.core.types import is_readable, to_json
from trilha.people.custom_fields.schema import CustomField

MASK = "***"
PREFIX = "custom_fields."  # of a field's key in problems, rules and headers
MAX_LENGTH = 200
_MAX_NUMBER = 10**15
_LONGEST_KEY = 50  # of an unknown key in a problem
SEALED_VALUES = SealedColumn(
    kind="personal custom fields of people",
    table="users",
    column="custom_fields_sealed",
    keys={"id": "uuid"},
    context=lambda row: ("users", row["id"], "custom_fields"),
)


class CheckedValues(dict[str, Any]):
    """Values that fit their fields. `personal` has the keys of those that are sealed."""

    def __init__(self, values: Mapping[str, Any], personal: frozenset[str]) -> None:
        super().__init__(values)
        self.personal = personal


def check(values: Mapping[str, Any], fields: Mapping[str, CustomField]) -> CheckedValues:
    """Checks values by key. None clears one. Raises Invalid with the path of each wrong one."""
    if problems := list(_list_problems(values, fields)):
        raise Invalid(problems)
    return CheckedValues(values, frozenset(key for key in values if fields[key].personal))


def _list_problems(values: Mapping[str, Any], fields: Mapping[str, CustomField]) -> Iterator[Problem]:
    for key, value in values.items():
        at = f"{PREFIX}{key[:_LONGEST_KEY]}"
        field = fields.get(key)
        if field is None:
            yield problem(at, "unknown_custom_field")
        elif value is not None and (code := _find_fault(value, field)):
            yield problem(at, code, allowed=field.choices) if field.type == "choice" else problem(at, code)


def _find_fault(value: object, field: CustomField) -> str | None:
    """Returns the error code of a value, or None if it fits."""
    if field.type == "number":
        return _find_fault_of_number(value)
    if not isinstance(value, str):
        return "invalid_type"
    if field.type == "choice":
        return None if value in field.choices else "invalid_value"
    if field.type == "date":
        day = parse_iso_day(value)
        return None if day is not None and 1900 <= day.year < 2200 else "invalid_date"
    if not value.strip():
        return "too_short"
    if len(value) > MAX_LENGTH:
        return "too_long"
    return None if is_readable(value) else "invalid_text"


def _find_fault_of_number(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "invalid_type"
    return None if -_MAX_NUMBER <= value <= _MAX_NUMBER and isfinite(value) else "out_of_range"


def is_changed(
    tx: Tx, user_id: UUID, stored: Mapping[str, Any], sealed: bytes | None, values: CheckedValues
) -> bool:
    """Returns whether a value differs from the stored one."""
    before = {**stored, **(_open(tx, user_id, sealed) if values.personal else {})}
    return any(before.get(key) != value for key, value in values.items())


def build_columns(
    tx: Tx, user_id: UUID, stored: Mapping[str, Any], sealed: bytes | None, values: CheckedValues
) -> dict[str, Any]:
    """Returns the columns of a person's values after these changes."""
    shown = dict(stored)
    for key, value in values.items():
        shown.pop(key, None)
        if value is not None:
            shown[key] = MASK if key in values.personal else value
    columns: dict[str, Any] = {"custom_fields": shown}
    if values.personal:
        personal = _open(tx, user_id, sealed) | {key: values[key] for key in values.personal}
        personal = {key: value for key, value in personal.items() if value is not None}
        text = to_json(personal).decode()
        columns["custom_fields_sealed"] = (
            tx.keyring.seal(text, tx.tenant_id, "users", user_id, "custom_fields") if personal else None
        )
    return columns


def _open(tx: Tx, user_id: UUID, sealed: bytes | None) -> dict[str, Any]:
    if sealed is None:
        return {}
    opened = tx.keyring.open(sealed, tx.tenant_id, "users", user_id, "custom_fields")
    values: dict[str, Any] = msgspec.json.decode(opened)
    return values
