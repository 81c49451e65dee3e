"""Applies the operations of a PATCH to a group.

The library parses the paths, but members are handled as sets: an operation may have hundreds of members, and
a group thousands.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from scim2_models import InvalidPathException, Path
from scim2_models.path import AttrPath, CompareOperator, Comparison, LogicalExpr, ValuePath

from trilha.access.scim import dialects, urns
from trilha.access.scim.conditions import is_storable
from trilha.access.scim.errors import build_error
from trilha.access.scim.groups.schema import Change, Step
from trilha.core.web.parsing import parse_uuid

MAX_OPERATIONS = 1000
_LONGEST_PATH = 2048
_OPERATIONS = ("add", "remove", "replace")
_IGNORED_ATTRIBUTES = ("schemas", "id", "meta")


def change_of(operations: list[Any], group_id: UUID) -> Change:
    """Combines the operations. Raises ScimError."""
    change = Change()
    for operation in operations:
        change = _after(change, operation, group_id)
    return change


def change_to(raw: Mapping[str, Any]) -> Change:
    """Returns the change for a PUT or POST, which clears what is left out. Raises ScimError."""
    body = dialects.group(raw)
    members = member_ids(body.get("members", []))
    return Change(
        _name(body.get("displayName")), _external_id(body.get("externalId")), (Step("set", members),)
    )


def _after(change: Change, operation: Any, group_id: UUID) -> Change:
    if not isinstance(operation, dict):
        raise build_error("invalidSyntax", "An operation must be a JSON object.")
    parts = {name.lower(): value for name, value in operation.items()}
    op = parts.get("op")
    op = op.lower() if isinstance(op, str) else op
    if op not in _OPERATIONS:
        raise build_error("invalidValue", "The op must be add, remove or replace.")
    path, value = parts.get("path"), parts.get("value")
    if path is None or path == "":
        return _pathless(change, op, value, group_id)
    if not isinstance(path, str):
        raise build_error("invalidPath")
    return _at(change, op, path, value, has_value="value" in parts)


def _pathless(change: Change, op: str, value: Any, group_id: UUID) -> Change:
    if op == "remove":
        raise build_error("noTarget", "A remove operation needs a path.")
    if not isinstance(value, dict):
        raise build_error("invalidValue", "Without a path, the value must be an object of attributes.")
    for name, content in value.items():
        if name.lower() == "id" and content != str(group_id):
            raise build_error("mutability", "The id cannot be changed.")
        if name.lower() not in _IGNORED_ATTRIBUTES:
            change = _at(change, op, name, content, has_value=True)
    return change


def _at(change: Change, op: str, path: str, value: Any, *, has_value: bool) -> Change:
    tree = _tree(path)
    if not isinstance(tree, AttrPath):
        members = _read_member_filter(tree)
        if op != "remove":
            # The only thing to change about a member is the membership itself.
            raise build_error("mutability", "Members can only be added or removed, not changed.")
        return _with(change, Step("remove", members))
    if op != "remove" and not has_value:
        raise build_error("invalidValue", "The operation has no value.")
    name = tree.attr.lower() if tree.uri is None or tree.uri.lower() == urns.GROUP.lower() else ""
    if name == "members" and tree.sub_attr is None:
        return _members(change, op, value)
    if name in ("id", "meta", "schemas") or (name == "displayname" and op == "remove"):
        raise build_error("mutability")
    return _with_value(change, name, None if op == "remove" else value)


def _with_value(change: Change, name: str, value: Any) -> Change:
    if name == "displayname":
        return Change(_name(value), change.external_id, change.steps)
    if name == "externalid":
        return Change(change.display_name, _external_id(value), change.steps)
    return change  # This attribute is not stored.


def _tree(path: str) -> Any:
    if len(path) > _LONGEST_PATH:
        raise build_error("invalidPath")
    try:
        return Path(path).ast
    except (InvalidPathException, ValueError):
        raise build_error("invalidPath") from None


def _members(change: Change, op: str, value: Any) -> Change:
    if op == "remove" and not value:
        return _with(change, Step("set", frozenset()))
    return _with(change, Step({"replace": "set"}.get(op, op), member_ids(value)))


def _with(change: Change, step: Step) -> Change:
    return Change(change.display_name, change.external_id, (*change.steps, step))


def _read_member_filter(tree: Any) -> frozenset[UUID]:
    """Returns the members that a path selects: `members[value eq "…"]`, or several joined by or."""
    if not isinstance(tree, ValuePath) or tree.attr_path.attr.lower() != "members" or tree.sub_attr:
        raise build_error("invalidPath")
    terms = tree.val_filter.terms if isinstance(tree.val_filter, LogicalExpr) else (tree.val_filter,)
    if isinstance(tree.val_filter, LogicalExpr) and tree.val_filter.op.value != "or":
        raise build_error("invalidPath")
    if not all(map(_is_of_value, terms)):
        raise build_error("invalidPath", "Members can only be selected by their value.")
    return frozenset(key for term in terms if (key := _uuid(term.value)))  # type: ignore[attr-defined]


def _is_of_value(term: Any) -> bool:
    is_equal = isinstance(term, Comparison) and term.op == CompareOperator.eq
    return is_equal and term.attr_path.attr.lower() == "value"


def member_ids(value: Any) -> frozenset[UUID]:
    """Returns the ids of members, ignoring values that cannot be ids of ours. Raises ScimError."""
    entries = value if isinstance(value, list) else [value]
    ids = set()
    for entry in entries:
        reference = entry
        if isinstance(entry, dict):
            parts = {name.lower(): part for name, part in entry.items()}
            reference = parts.get("value") or parts.get("$ref")
        if reference is None:
            continue
        if not isinstance(reference, str):
            raise build_error("invalidValue", "A member's value must be the ID of a user.")
        if key := _uuid(reference.rpartition("/")[2]):
            ids.add(key)
    return frozenset(ids)


def _uuid(text: Any) -> UUID | None:
    return parse_uuid(text) if isinstance(text, str) else None


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not is_storable(value):
        raise build_error("invalidValue", "The displayName must have 1 to 120 characters.")
    return value


def _external_id(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > 254 or not is_storable(value):
        raise build_error("invalidValue", "The externalId must be text of at most 254 characters.")
    return value
