"""Translates filters of RFC 7644 section 3.4.2.2 to SQL. An unsupported filter is refused, never ignored.

Text is compared in NFC, case-insensitively unless the attribute is case-exact. An attribute without a value
equals only null.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from scim2_models import InvalidFilterException, ScimFilter
from scim2_models.path import (
    AttrPath,
    CompareOperator,
    Comparison,
    FilterNode,
    FilterVisitor,
    LogicalExpr,
    LogicalOperator,
    Not,
    Present,
    ValuePath,
)

from trilha.access.scim.attributes import Attribute, Attributes
from trilha.access.scim.conditions import Condition, is_storable
from trilha.access.scim.errors import ScimError, build_error

MAX_CHARACTERS = 2048
MAX_TERMS = 20
MAX_DEPTH = 10
_ORDERS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def invalid_filter(detail: str) -> ScimError:
    return build_error("invalidFilter", detail)


def parse_filter(text: str, attributes: Attributes, bound: Any) -> Condition:
    """Parses a filter. `bound` is the library's filter class, which validates attributes and types. Raises
    ScimError.
    """
    _check_size(text)
    try:
        tree = ScimFilter(text).ast
        bound(text)
    except (InvalidFilterException, ValueError):
        raise invalid_filter(
            "The filter is malformed, or compares an attribute with an unsupported operator or value."
        ) from None
    if sum(1 for _ in _terms(tree)) > MAX_TERMS:
        raise invalid_filter(f"A filter can have at most {MAX_TERMS} comparisons.")
    params: dict[str, Any] = {}
    sql = _Sql(attributes, params).visit(tree)
    return Condition(sql, params, dict(_equal(tree, attributes)))


def _check_size(text: str) -> None:
    """Checks length and depth before parsing, which is slow for long filters."""
    if len(text) > MAX_CHARACTERS:
        raise invalid_filter(f"A filter can have at most {MAX_CHARACTERS} characters.")
    if "\x00" in text or "\\u0000" in text.lower():
        raise invalid_filter("The filter contains a NUL character.")
    depth = deepest = 0
    quoted = escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = quoted
        elif character == '"':
            quoted = not quoted
        elif not quoted and character in "([":
            depth += 1
            deepest = max(deepest, depth)
        elif not quoted and character in ")]":
            depth -= 1
    if deepest > MAX_DEPTH:
        raise invalid_filter(f"A filter can be nested at most {MAX_DEPTH} levels deep.")


def _terms(node: FilterNode) -> Iterator[FilterNode]:
    if isinstance(node, LogicalExpr):
        for term in node.terms:
            yield from _terms(term)
    elif isinstance(node, Not):
        yield from _terms(node.expr)
    elif isinstance(node, ValuePath):
        yield from _terms(node.val_filter)
    else:
        yield node


def _equal(node: FilterNode, attributes: Attributes) -> Iterator[tuple[str, str]]:
    """Yields attributes that must equal a value for the whole filter to match, so that an index can be
    used.
    """
    if isinstance(node, LogicalExpr) and node.op == LogicalOperator.and_:
        for term in node.terms:
            yield from _equal(term, attributes)
    elif isinstance(node, Comparison) and node.op == CompareOperator.eq and isinstance(node.value, str):
        attribute, part = resolve(node.attr_path, attributes)
        if part is None:
            yield attribute.name, node.value


def resolve(path: AttrPath, attributes: Attributes) -> tuple[Attribute, Attribute | None]:
    """Returns the attribute and, if it has several values, the part of each value. Raises ScimError."""
    prefix = f"{path.uri}:" if path.uri else ""
    whole = f"{prefix}{path.attr}".lower()
    name = f"{whole}.{path.sub_attr.lower()}" if path.sub_attr else whole
    if attribute := attributes.get(name):
        return attribute, attribute.parts["value"] if attribute.parts else None
    attribute = attributes.get(whole)
    part = (
        attribute.parts.get(path.sub_attr.lower())
        if attribute and attribute.parts and path.sub_attr
        else None
    )
    if attribute is None or part is None:
        raise invalid_filter("The filter uses an unsupported attribute.")
    return attribute, part


class _Sql(FilterVisitor[str]):
    """Translates a filter. Each expression is true or false, never null. Values become numbered
    parameters.
    """

    def __init__(self, attributes: Attributes, params: dict[str, Any]) -> None:
        self._attributes = attributes
        self._params = params

    def visit_not(self, node: Not) -> str:
        return f"NOT ({self.visit(node.expr)})"

    def visit_logical_expr(self, node: LogicalExpr) -> str:
        return "(" + f" {node.op.value.upper()} ".join(self.visit(term) for term in node.terms) + ")"

    def visit_present(self, node: Present) -> str:
        attribute, part = resolve(node.attr_path, self._attributes)
        if part is None:
            return _present(attribute)
        return _any_value(attribute, _present(part))

    def visit_comparison(self, node: Comparison) -> str:
        attribute, part = resolve(node.attr_path, self._attributes)
        if part is None:
            return self._compare(attribute, node.op, node.value)
        if node.op == CompareOperator.ne:
            return f"NOT {self._any(attribute, part, CompareOperator.eq, node.value)}"
        return self._any(attribute, part, node.op, node.value)

    def visit_value_path(self, node: ValuePath) -> str:
        attribute, part = resolve(node.attr_path, self._attributes)
        if part is None or attribute.parts is None:
            raise invalid_filter("The filter selects among the values of a single-valued attribute.")
        return _any_value(attribute, _Sql(attribute.parts, self._params).visit(node.val_filter))

    def _any(self, attribute: Attribute, part: Attribute, op: CompareOperator, value: Any) -> str:
        condition = _any_value(attribute, self._compare(part, op, value))
        if value is None and op == CompareOperator.eq:
            return f"({condition} OR NOT {_any_value(attribute, 'true')})"
        return condition

    def _compare(self, attribute: Attribute, op: CompareOperator, value: Any) -> str:
        if value is None:
            return _compare_null(attribute, op)
        if attribute.kind == "boolean":
            return self._compare_boolean(attribute, op, value)
        if attribute.kind == "time":
            return self._compare_time(attribute, op, value)
        if not isinstance(value, str) or not is_storable(value):
            raise invalid_filter("A text attribute can only be compared with text.")
        left, right = _comparable(attribute, attribute.sql), _comparable(attribute, self._add(value, "text"))
        return _compare_text(left, op, right)

    def _compare_boolean(self, attribute: Attribute, op: CompareOperator, value: Any) -> str:
        if not isinstance(value, bool) or op not in (CompareOperator.eq, CompareOperator.ne):
            raise invalid_filter("A boolean can only be compared with true or false, by eq or ne.")
        sign = "IS NOT DISTINCT FROM" if op == CompareOperator.eq else "IS DISTINCT FROM"
        return f"({attribute.sql} {sign} {str(value).lower()})"

    def _compare_time(self, attribute: Attribute, op: CompareOperator, value: Any) -> str:
        right = self._add(_moment(value), "timestamptz")
        if op == CompareOperator.eq:
            return f"({attribute.sql} = {right})"
        if op == CompareOperator.ne:
            return f"({attribute.sql} <> {right})"
        if op not in _ORDERS:
            raise invalid_filter("A time can only be compared by eq, ne, gt, ge, lt or le.")
        return f"({attribute.sql} {_ORDERS[op.value]} {right})"

    def _add(self, value: Any, kind: str) -> str:
        name = f"filter_{len(self._params)}"
        self._params[name] = value
        return f":{name}::{kind}"


def _any_value(attribute: Attribute, condition: str) -> str:
    if attribute.sql.lstrip().startswith("learning_group_members"):
        return f"EXISTS (SELECT FROM {attribute.sql} AND {condition})"
    return f"EXISTS (SELECT FROM jsonb_array_elements({attribute.sql}) AS e WHERE {condition})"


def _present(attribute: Attribute) -> str:
    if attribute.kind == "text":
        return f"COALESCE({attribute.sql} <> '', false)"
    return f"({attribute.sql} IS NOT NULL)"


def _compare_null(attribute: Attribute, op: CompareOperator) -> str:
    if op == CompareOperator.eq:
        return f"({attribute.sql} IS NULL)"
    return f"({attribute.sql} IS NOT NULL)" if op == CompareOperator.ne else "false"


def _comparable(attribute: Attribute, sql: str) -> str:
    sql = f"normalize({sql}, NFC)"
    return f'{sql} COLLATE "C"' if attribute.exact else f'normalize(lower({sql}), NFC) COLLATE "C"'


def _compare_text(left: str, op: CompareOperator, right: str) -> str:
    if op == CompareOperator.ne:
        return f"({left} IS DISTINCT FROM {right})"
    if op.value in _ORDERS:
        comparison = f"{left} {_ORDERS[op.value]} {right}"
    elif op == CompareOperator.eq:
        comparison = f"{left} = {right}"
    elif op == CompareOperator.co:
        comparison = f"strpos({left}, {right}) > 0"
    elif op == CompareOperator.sw:
        comparison = f"starts_with({left}, {right})"
    else:
        comparison = f"right({left}, length({right})) = {right}"
    return f"COALESCE({comparison}, false)"


def _moment(value: Any) -> datetime:
    """Parses a time, to the millisecond like stored ones."""
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        raise invalid_filter("A time must have the form 2026-11-21T09:30:00Z.") from None
