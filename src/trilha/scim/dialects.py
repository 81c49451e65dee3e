"""What providers send otherwise than RFC 7643 and 7644 have it, brought into their form.

Entra writes booleans as text, puts extensions' attributes behind a dot or under their short names, and a
manager as text or in a list; OneLogin sends one address without its list; nearly all send attributes that
this server has no use for, and Okta a password, which is not looked at.
"""

from collections.abc import Mapping
from typing import Any

from trilha.scim import urns

_ENTERPRISE = {
    name.lower(): name
    for name in ("employeeNumber", "costCenter", "organization", "division", "department", "manager")
}
# Those of the models, and never more: nothing else of what is sent goes any further.
_CORE = {
    name.lower(): name
    for name in ("externalId", "userName", "name", "displayName", "title", "active", "emails")
}
_GROUP = {name.lower(): name for name in ("externalId", "displayName", "members")}
_URN = urns.ENTERPRISE.lower()
_BOOLEANS = {"true": True, "false": False}


def user(sent: Mapping[str, Any]) -> dict[str, Any]:
    """A body of POST or PUT with no more than this server has. None of it is checked."""
    found: dict[str, Any] = {}
    extension: dict[str, Any] = {}
    for name, value in sent.items():
        if (known := _CORE.get(name.lower())) and value is not None:
            found[known] = _value(known, value)
        elif name.lower() in _ENTERPRISE and value is not None:
            extension[_ENTERPRISE[name.lower()]] = _extended(name, value)
        elif name.lower() == _URN and isinstance(value, dict):
            extension |= _extension(value)
    schemas = [urns.USER]
    if extension or _says_enterprise(sent):
        found[urns.ENTERPRISE] = extension
        schemas.append(urns.ENTERPRISE)
    return {"schemas": schemas, **found}


def group(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {
        known: value
        for name, value in sent.items()
        if (known := _GROUP.get(name.lower())) and value is not None
    }


def _says_enterprise(sent: Mapping[str, Any]) -> bool:
    schemas = next((value for name, value in sent.items() if name.lower() == "schemas"), None)
    return isinstance(schemas, list) and any(
        isinstance(each, str) and each.lower() == _URN for each in schemas
    )


def _extension(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {
        _ENTERPRISE[name.lower()]: _extended(name, value)
        for name, value in sent.items()
        if name.lower() in _ENTERPRISE and value is not None
    }


def _extended(name: str, value: Any) -> Any:
    return _manager(value) if name.lower() == "manager" else value


def _manager(value: Any) -> Any:
    """`"id"`, `{"value": "id"}` and `[{"value": "id"}]` are one; an empty one is none."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = next((each for name, each in value.items() if name.lower() == "value"), None)
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
        {part: _boolean(each) if part.lower() == "primary" else each for part, each in entry.items()}
        if isinstance(entry, dict)
        else entry
        for entry in value
        if entry is not None
    ]


def operation(sent: Any) -> Any:
    """An operation of a PATCH of a user."""
    if not isinstance(sent, dict):
        return sent
    found = {name.lower(): value for name, value in sent.items() if name.lower() in ("op", "path", "value")}
    if isinstance(found.get("op"), str):
        found["op"] = found["op"].lower()
    path = found.get("path")
    if path is None or path == "":
        found.pop("path", None)
        if isinstance(found.get("value"), dict):
            found["value"] = _pathless(found["value"])
        return found
    if isinstance(path, str):
        found["path"] = path = _path(path)
        if "value" in found:
            found["value"] = _at(path, found["value"])
    return found


def _path(path: str) -> str:
    """With the schema and a colon in front of what belongs to an extension."""
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
    """The attributes of an operation without a path: names may be paths themselves."""
    found: dict[str, Any] = {}
    for name, each in value.items():
        path = _path(name)
        if path.lower() == _URN and isinstance(each, dict):
            found[urns.ENTERPRISE] = _extension(each) | found.get(urns.ENTERPRISE, {})
        elif path.lower().startswith(f"{_URN}:"):
            found[path] = _at(path, each)
        else:
            known = _CORE.get(path.lower().removeprefix(f"{urns.USER.lower()}:"))
            if known or "." in path or path.lower() == "id":
                found[known or path] = _at(known or path, each)
    return found
