"""What the operations of a PATCH do to a group.

They are read with the library's grammar and done as sets: an operation may name hundreds of members, and a
group may have thousands.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from scim2_models import InvalidPathException, Path
from scim2_models.path import AttrPath, CompareOperator, Comparison, LogicalExpr, ValuePath

from trilha.core.web.parsing import parse_uuid
from trilha.scim import dialects, urns
from trilha.scim.conditions import is_storable
from trilha.scim.errors import refused
from trilha.scim.groups.schema import Change, Step

MOST_OPERATIONS = 1000
_LONGEST_PATH = 2048
_OPERATIONS = ("add", "remove", "replace")
_IGNORED = ("schemas", "id", "meta")


def change_of(operations: list[Any], group_id: UUID) -> Change:
    """Raises ScimError."""
    change = Change()
    for each in operations:
        change = _after(change, each, group_id)
    return change


def change_to(sent: Mapping[str, Any]) -> Change:
    """Of a PUT or POST: what is left out is cleared. Raises ScimError."""
    body = dialects.group(sent)
    members = member_ids(body.get("members", []))
    return Change(
        _name(body.get("displayName")), _external_id(body.get("externalId")), (Step("set", members),)
    )


def _after(change: Change, sent: Any, group_id: UUID) -> Change:
    if not isinstance(sent, dict):
        raise refused("invalidSyntax", "An operation is a JSON object.")
    given = {name.lower(): value for name, value in sent.items()}
    op = given.get("op")
    op = op.lower() if isinstance(op, str) else op
    if op not in _OPERATIONS:
        raise refused("invalidValue", "An operation is add, remove or replace.")
    path, value = given.get("path"), given.get("value")
    if path is None or path == "":
        return _pathless(change, op, value, group_id)
    if not isinstance(path, str):
        raise refused("invalidPath")
    return _at(change, op, path, value, has_value="value" in given)


def _pathless(change: Change, op: str, value: Any, group_id: UUID) -> Change:
    if op == "remove":
        raise refused("noTarget", "A remove says in its path what to remove.")
    if not isinstance(value, dict):
        raise refused("invalidValue", "Without a path the value is an object of attributes.")
    for name, each in value.items():
        if name.lower() == "id" and each != str(group_id):
            raise refused("mutability", "The id cannot be changed.")
        if name.lower() not in _IGNORED:
            change = _at(change, op, name, each, has_value=True)
    return change


def _at(change: Change, op: str, path: str, value: Any, *, has_value: bool) -> Change:
    tree = _tree(path)
    if not isinstance(tree, AttrPath):
        chosen = _chosen(tree)
        if op != "remove":
            # Of a member there is nothing to change but whether it is one.
            raise refused("mutability", "Members are added and removed as a whole.")
        return _with(change, Step("remove", chosen))
    if op != "remove" and not has_value:
        raise refused("invalidValue", "The operation has no value.")
    name = tree.attr.lower() if tree.uri is None or tree.uri.lower() == urns.GROUP.lower() else ""
    if name == "members" and tree.sub_attr is None:
        return _members(change, op, value)
    if name in ("id", "meta", "schemas") or (name == "displayname" and op == "remove"):
        raise refused("mutability")
    return _with_value(change, name, None if op == "remove" else value)


def _with_value(change: Change, name: str, value: Any) -> Change:
    if name == "displayname":
        return Change(_name(value), change.external_id, change.steps)
    if name == "externalid":
        return Change(change.display_name, _external_id(value), change.steps)
    return change  # an attribute that is not kept


def _tree(path: str) -> Any:
    if len(path) > _LONGEST_PATH:
        raise refused("invalidPath")
    try:
        return Path(path).ast
    except (InvalidPathException, ValueError):
        raise refused("invalidPath") from None


def _members(change: Change, op: str, value: Any) -> Change:
    if op == "remove" and not value:
        return _with(change, Step("set", frozenset()))
    return _with(change, Step({"replace": "set"}.get(op, op), member_ids(value)))


def _with(change: Change, step: Step) -> Change:
    return Change(change.display_name, change.external_id, (*change.steps, step))


def _chosen(tree: Any) -> frozenset[UUID]:
    """The members that a path names: `members[value eq "…"]`, and several joined by or."""
    if not isinstance(tree, ValuePath) or tree.attr_path.attr.lower() != "members" or tree.sub_attr:
        raise refused("invalidPath")
    terms = tree.val_filter.terms if isinstance(tree.val_filter, LogicalExpr) else (tree.val_filter,)
    if isinstance(tree.val_filter, LogicalExpr) and tree.val_filter.op.value != "or":
        raise refused("invalidPath")
    if not all(map(_is_of_value, terms)):
        raise refused("invalidPath", "Members are chosen by their value.")
    return frozenset(key for each in terms if (key := _uuid(each.value)))  # type: ignore[attr-defined]


def _is_of_value(term: Any) -> bool:
    is_equal = isinstance(term, Comparison) and term.op == CompareOperator.eq
    return is_equal and term.attr_path.attr.lower() == "value"


def member_ids(value: Any) -> frozenset[UUID]:
    """Those that may be people's: what is no id of ours is nobody. Raises ScimError."""
    entries = value if isinstance(value, list) else [value]
    found = set()
    for each in entries:
        given = each
        if isinstance(each, dict):
            parts = {name.lower(): part for name, part in each.items()}
            given = parts.get("value") or parts.get("$ref")
        if given is None:
            continue
        if not isinstance(given, str):
            raise refused("invalidValue", "A member's value is the id of a user.")
        if key := _uuid(given.rpartition("/")[2]):
            found.add(key)
    return frozenset(found)


def _uuid(text: Any) -> UUID | None:
    return parse_uuid(text) if isinstance(text, str) else None


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not is_storable(value):
        raise refused("invalidValue", "A group has a displayName of 1 to 120 characters.")
    return value


def _external_id(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > 254 or not is_storable(value):
        raise refused("invalidValue", "An externalId is text of at most 254 characters.")
    return value
