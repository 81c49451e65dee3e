"""Reads our own extension of users: `hireDate`, and `customFields` with one attribute per custom field.

The library that reads all other attributes needs them when the process starts; custom fields differ from
tenant to tenant. So we read them here, from bodies and from the operations of a PATCH.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from trilha.access.scim import urns
from trilha.access.scim.errors import build_error
from trilha.core.types import InvalidValue
from trilha.people.custom_fields.schema import MAX_FIELDS, CustomField
from trilha.people.custom_fields.values import MASK
from trilha.people.users.schema import HireDate

_URN = urns.TRILHA.lower()
_HIRE_DATE = "hiredate"
_CUSTOM_FIELDS = "customfields"
_NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,15})?", re.ASCII)
Operation = Mapping[str, Any]


class ExtensionInput(Struct, frozen=True):
    """The attributes that a request names. None clears one."""

    hire_date: HireDate | None | UnsetType = UNSET
    custom_fields: Mapping[str, Any] = {}


def read_extension(body: Mapping[str, Any]) -> ExtensionInput:
    """Reads the extension of the body of a POST or PUT. Raises ScimError."""
    attributes: dict[str, Any] = {}
    for name, value in body.items():
        if name.lower() == _URN and isinstance(value, dict):
            attributes |= _flatten(value)
    return _build(attributes)


def split_patch(operations: Sequence[Any], resource: Mapping[str, Any]) -> tuple[list[Any], ExtensionInput]:
    """Returns the operations on other attributes, and what the rest does to the extension of the resource.

    Raises ScimError.
    """
    keys = resource.get(urns.TRILHA, {}).get("customFields", {})
    others: list[Any] = []
    attributes: dict[str, Any] = {}
    for operation in operations:
        other, changes = _split_operation(operation, keys)
        others += other
        attributes |= changes
    return others, _build(attributes)


def _split_operation(raw: Any, keys: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    if not isinstance(raw, dict):
        return [raw], {}
    operation = {name.lower(): value for name, value in raw.items()}
    path = operation.get("path")
    if path is None or path == "":
        return _split_value(raw, operation)
    name = _own_path(path) if isinstance(path, str) else None
    if name is None:
        return [raw], {}
    return [], _changes_at(name, _verb(operation), operation.get("value"), keys)


def _split_value(raw: Operation, operation: Operation) -> tuple[list[Any], dict[str, Any]]:
    """Splits the value of an operation without a path."""
    value = operation.get("value")
    if not isinstance(value, dict):
        return [raw], {}
    own = {name: path for name in value if (path := _own_path(name)) is not None}
    if not own:
        return [raw], {}
    changes: dict[str, Any] = {}
    for name, path in own.items():
        changes |= _changes_at(path, _verb(operation), value[name], {})
    rest = {name: content for name, content in value.items() if name not in own}
    return [{**operation, "value": rest}] if rest else [], changes


def _verb(operation: Operation) -> str:
    """Raises ScimError."""
    verb = operation.get("op")
    if not isinstance(verb, str) or verb.lower() not in ("add", "replace", "remove"):
        raise build_error("invalidSyntax")
    return verb.lower()


def _own_path(path: str) -> str | None:
    """Returns a path of the extension without its URN, which is empty for the whole extension; or None for
    other paths. Providers omit the URN, or write a dot behind it.
    """
    low = path.lower()
    if low == _URN:
        return ""
    if low.startswith((f"{_URN}:", f"{_URN}.")):
        return low[len(_URN) + 1 :]
    return low if low.partition(".")[0] in (_HIRE_DATE, _CUSTOM_FIELDS) else None


def _changes_at(path: str, verb: str, value: Any, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the changed attributes by path. `keys` are those of the person's custom fields."""
    if path not in ("", _HIRE_DATE, _CUSTOM_FIELDS) and not path.startswith(f"{_CUSTOM_FIELDS}."):
        raise build_error("invalidPath")
    cleared: dict[str, Any] = {f"{_CUSTOM_FIELDS}.{key}": None for key in keys}
    if verb == "remove":
        return (
            {_HIRE_DATE: None, **cleared}
            if path == ""
            else cleared
            if path == _CUSTOM_FIELDS
            else {path: None}
        )
    if path == "":
        return _flatten(_require_object(value))
    if path == _CUSTOM_FIELDS:
        return _flatten({_CUSTOM_FIELDS: value})
    return {path: value}


def _flatten(value: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the attributes of the extension by path. Unknown ones are ignored."""
    attributes: dict[str, Any] = {}
    for name, content in value.items():
        low = name.lower()
        if low == _CUSTOM_FIELDS and content is not None:
            for key, each in _require_object(content).items():
                attributes[f"{_CUSTOM_FIELDS}.{key.lower()}"] = each
        elif low == _HIRE_DATE or low.startswith(f"{_CUSTOM_FIELDS}."):
            attributes[low] = content
    return attributes


def _require_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise build_error("invalidValue", "customFields: the value is invalid.")
    return value


def _build(attributes: Mapping[str, Any]) -> ExtensionInput:
    if len(attributes) > MAX_FIELDS + 1:
        raise build_error("tooMany")
    start = f"{_CUSTOM_FIELDS}."
    custom = {path.removeprefix(start): value for path, value in attributes.items() if path.startswith(start)}
    return ExtensionInput(_hire_date(attributes.get(_HIRE_DATE, UNSET)), custom)


def _hire_date(value: Any) -> HireDate | None | UnsetType:
    """Accepts a day, and a time, of which the day counts. An empty text clears the date."""
    if value is UNSET or value is None or value == "":
        return UNSET if value is UNSET else None
    try:
        return HireDate.parse(_day(value))
    except (InvalidValue, TypeError):
        raise build_error("invalidValue", "hireDate: the value must be a date, YYYY-MM-DD.") from None


def _day(value: Any) -> Any:
    return value.partition("T")[0] if isinstance(value, str) else value


def convert_values(values: Mapping[str, Any], fields: Mapping[str, CustomField]) -> dict[str, Any]:
    """Converts the values of custom fields: providers send numbers as text, and dates with a time. What a
    provider sends back masked does not change.
    """
    return dict(_convert_all(values, fields))


def _convert_all(values: Mapping[str, Any], fields: Mapping[str, CustomField]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        field = fields.get(key)
        if field is None or not isinstance(value, str):
            yield key, value
        elif not (field.personal and value == MASK):
            yield key, _convert(value, field) if value else None


def _convert(text: str, field: CustomField) -> Any:
    if field.type == "number" and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return _day(text) if field.type == "date" else text
