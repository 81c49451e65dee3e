"""Converts what providers send to the form of RFC 7643 and 7644.

Entra sends booleans as text, extension attributes behind a dot or under their short names, and a manager as
text or in a list. OneLogin sends a single address without a list. Nearly all send attributes that we do not
store, and Okta a password, which is ignored.
"""

from collections.abc import Mapping
from typing import Any

from trilha.access.scim import urns

_ENTERPRISE = {
    name.lower(): name
    for name in ("employeeNumber", "costCenter", "organization", "division", "department", "manager")
}
# Only these attributes are passed on; everything else is dropped.
_CORE = {
    name.lower(): name
    for name in ("externalId", "userName", "name", "displayName", "title", "active", "emails")
}
_GROUP = {name.lower(): name for name in ("externalId", "displayName", "members")}
_URN = urns.ENTERPRISE.lower()
_BOOLEANS = {"true": True, "false": False}


def user(body: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the body of a POST or PUT with the known attributes only, unchecked."""
    attributes: dict[str, Any] = {}
    extension: dict[str, Any] = {}
    for name, value in body.items():
        if (attribute := _CORE.get(name.lower())) and value is not None:
            attributes[attribute] = _value(attribute, value)
        elif name.lower() in _ENTERPRISE and value is not None:
            extension[_ENTERPRISE[name.lower()]] = _normalize_extension(name, value)
        elif name.lower() == _URN and isinstance(value, dict):
            extension |= _extension(value)
    schemas = [urns.USER]
    if extension or _says_enterprise(body):
        attributes[urns.ENTERPRISE] = extension
        schemas.append(urns.ENTERPRISE)
    return {"schemas": schemas, **attributes}


def group(body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        attribute: value
        for name, value in body.items()
        if (attribute := _GROUP.get(name.lower())) and value is not None
    }


def _says_enterprise(body: Mapping[str, Any]) -> bool:
    schemas = next((value for name, value in body.items() if name.lower() == "schemas"), None)
    return isinstance(schemas, list) and any(
        isinstance(schema, str) and schema.lower() == _URN for schema in schemas
    )


def _extension(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {
        _ENTERPRISE[name.lower()]: _normalize_extension(name, value)
        for name, value in attributes.items()
        if name.lower() in _ENTERPRISE and value is not None
    }


def _normalize_extension(name: str, value: Any) -> Any:
    return _manager(value) if name.lower() == "manager" else value


def _manager(value: Any) -> Any:
    """Accepts `"id"`, `{"value": "id"}` and `[{"value": "id"}]`. An empty value means no manager."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = next((part for name, part in value.items() if name.lower() == "value"), None)
    return {"value": value} if value else None


def _value(name: str, value: Any) -> Any:
    if name == "active":
        return _boolean(value)
    if name == "emails":
        return _emails(value)
    return value


def _boolean(value: Any) -> Any:
    return _BOOLEANS.get(value.lower(), value) if isinstance(value, str) else value


def _emails(value: Any) -> Any:
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return value
    return [
        {part: _boolean(content) if part.lower() == "primary" else content for part, content in entry.items()}
        if isinstance(entry, dict)
        else entry
        for entry in value
        if entry is not None
    ]


def operation(raw: Any) -> Any:
    """Converts one operation of a PATCH of a user."""
    if not isinstance(raw, dict):
        return raw
    parts = {name.lower(): value for name, value in raw.items() if name.lower() in ("op", "path", "value")}
    if isinstance(parts.get("op"), str):
        parts["op"] = parts["op"].lower()
    path = parts.get("path")
    if path is None or path == "":
        parts.pop("path", None)
        if isinstance(parts.get("value"), dict):
            parts["value"] = _pathless(parts["value"])
        return parts
    if isinstance(path, str):
        parts["path"] = path = _path(path)
        if "value" in parts:
            parts["value"] = _at(path, parts["value"])
    return parts


def _path(path: str) -> str:
    """Returns the path with the schema and a colon before attributes of the extension."""
    low = path.lower()
    if low.startswith(f"{_URN}."):
        return f"{urns.ENTERPRISE}:{path[len(_URN) + 1 :]}"
    if low.partition(".")[0] in _ENTERPRISE:
        return f"{urns.ENTERPRISE}:{path}"
    return path


def _at(path: str, value: Any) -> Any:
    low = path.lower()
    if low == f"{_URN}:manager":
        return _manager(value)
    if low == _URN and isinstance(value, dict):
        return _extension(value)
    if low == "active" or low.endswith(".primary"):
        return _boolean(value)
    return _emails(value) if low in ("emails", f"{urns.USER.lower()}:emails") else value


def _pathless(value: Mapping[str, Any]) -> dict[str, Any]:
    """Converts an operation without a path, whose attribute names may be paths themselves."""
    attributes: dict[str, Any] = {}
    for name, content in value.items():
        path = _path(name)
        if path.lower() == _URN and isinstance(content, dict):
            attributes[urns.ENTERPRISE] = _extension(content) | attributes.get(urns.ENTERPRISE, {})
        elif path.lower().startswith(f"{_URN}:"):
            attributes[path] = _at(path, content)
        else:
            attribute = _CORE.get(path.lower().removeprefix(f"{urns.USER.lower()}:"))
            if attribute or "." in path or path.lower() == "id":
                attributes[attribute or path] = _at(attribute or path, content)
    return attributes
