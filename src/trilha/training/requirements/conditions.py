"""The rules of requirements: conditions on a person, joined by and, or, not. No I/O, no clock."""

from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from typing import Any, Literal, get_args
from uuid import UUID

from msgspec import Struct

from trilha.core.errors import Invalid, invalid
from trilha.core.moments import parse_iso_day
from trilha.core.web.parsing import parse_uuid
from trilha.people.custom_fields.schema import CustomField
from trilha.people.users.schema import Role

MAX_LEVELS = 10
MAX_CONDITIONS = 200
MAX_VALUES = 1000
MAX_LENGTH = 200
_MAX_NODES = 1000
_MAX_NUMBER = 10**15
CUSTOM = "custom_fields."

Kind = Literal["text", "number", "date", "choice", "role", "unit", "group"]
Operator = Literal["eq", "in", "starts_with", "before", "after", "under"]
Value = str | float
_FIELDS: dict[str, Kind] = {
    "business_unit_id": "unit",
    "department": "text",
    "job_title": "text",
    "role": "role",
    "learning_group_id": "group",
    "hire_date": "date",
}
_OPERATORS: dict[Kind, tuple[Operator, ...]] = {
    "text": ("eq", "in", "starts_with"),
    "choice": ("eq", "in", "starts_with"),
    "role": ("eq", "in"),
    "group": ("eq", "in"),
    "number": ("eq", "in", "before", "after"),
    "date": ("eq", "in", "before", "after"),
    "unit": ("eq", "in", "under"),
}
_JOINS = ("all", "any", "not")
_CONDITION = ("field", "op", "value")


class Condition(Struct, frozen=True):
    """`values` has one value, or several for the operator `in`."""

    field: str
    op: Operator
    values: frozenset[Value]
    at: str  # the path of the value in the request


class All(Struct, frozen=True):
    nodes: tuple["Node", ...]


class AnyOf(Struct, frozen=True):
    nodes: tuple["Node", ...]


class Not(Struct, frozen=True):
    node: "Node"


Node = All | AnyOf | Not | Condition


class Person(Struct, frozen=True):
    """What rules look at. `units` has the person's unit and those above it."""

    id: UUID
    business_unit_id: UUID | None
    units: frozenset[str]
    department: str | None
    job_title: str | None
    role: str
    hire_date: str | None
    groups: frozenset[str]
    custom_fields: Mapping[str, Value]


def parse_rule(rule: object, custom_fields: Mapping[str, CustomField]) -> Node:
    """Parses a rule as the API takes it. Raises Invalid with the path of what is wrong."""
    return _Parser(custom_fields).parse(rule, "rule", 1)


class _Parser:
    """Counts what it walks, so that a huge rule is refused before it is read to its end."""

    def __init__(self, custom_fields: Mapping[str, CustomField]) -> None:
        self._custom_fields = custom_fields
        self._conditions = 0
        self._nodes = 0

    def parse(self, raw: object, at: str, level: int) -> Node:
        if not isinstance(raw, dict):
            raise invalid(at, "invalid_type")
        self._nodes += 1
        if level > MAX_LEVELS:
            raise invalid(at, "rule_too_deep", maximum=MAX_LEVELS)
        if self._nodes > _MAX_NODES:
            raise invalid("rule", "too_many_conditions", maximum=MAX_CONDITIONS)
        joins = [name for name in _JOINS if name in raw]
        if len(joins) == 1 and len(raw) == 1:
            return self._parse_join(joins[0], raw[joins[0]], f"{at}.{joins[0]}", level)
        if joins:
            raise invalid(at, "invalid_rule")
        return self._parse_condition(raw, at)

    def _parse_join(self, name: str, raw: object, at: str, level: int) -> Node:
        if name == "not":
            return Not(self.parse(raw, at, level + 1))
        if not isinstance(raw, list):
            raise invalid(at, "invalid_type")
        if name == "any" and not raw:
            raise invalid(at, "too_short")
        nodes = tuple(self.parse(each, f"{at}.{number}", level + 1) for number, each in enumerate(raw))
        return All(nodes) if name == "all" else AnyOf(nodes)

    def _parse_condition(self, raw: Mapping[str, Any], at: str) -> Condition:
        self._conditions += 1
        if self._conditions > MAX_CONDITIONS:
            raise invalid("rule", "too_many_conditions", maximum=MAX_CONDITIONS)
        if not raw:
            raise invalid(at, "invalid_rule")
        for name in raw:
            if name not in _CONDITION:
                raise invalid(f"{at}.{name[:50]}", "unknown_field")
        for name in _CONDITION:
            if name not in raw:
                raise invalid(f"{at}.{name}", "required")
        kind, choices = self._find_kind(raw["field"], f"{at}.field")
        op = raw["op"]
        if not isinstance(op, str):
            raise invalid(f"{at}.op", "invalid_type")
        if op not in _OPERATORS[kind]:
            raise invalid(f"{at}.op", "invalid_value", allowed=list(_OPERATORS[kind]))
        values = frozenset(_list_values(raw["value"], op, kind, choices, f"{at}.value"))
        return Condition(raw["field"], op, values, f"{at}.value")

    def _find_kind(self, field: object, at: str) -> tuple[Kind, Collection[str]]:
        if not isinstance(field, str):
            raise invalid(at, "invalid_type")
        if field.startswith(CUSTOM):
            custom = self._custom_fields.get(field.removeprefix(CUSTOM))
            if custom is None:
                raise invalid(at, "invalid_value")
            if custom.personal:
                raise invalid(at, "personal_field")
            return custom.type, custom.choices
        if field not in _FIELDS:
            raise invalid(at, "invalid_value", allowed=list(_FIELDS))
        return _FIELDS[field], ()


def _list_values(raw: object, op: str, kind: Kind, choices: Collection[str], at: str) -> Iterator[Value]:
    if op != "in":
        # The beginning of a choice need not be a whole one.
        yield _parse_value(raw, "text" if op == "starts_with" else kind, choices, at)
        return
    if not isinstance(raw, list):
        raise invalid(at, "invalid_type")
    if not raw:
        raise invalid(at, "too_short")
    if len(raw) > MAX_VALUES:
        raise invalid(at, "too_long")
    for number, each in enumerate(raw):
        yield _parse_value(each, kind, choices, f"{at}.{number}")


def _parse_value(raw: object, kind: Kind, choices: Collection[str], at: str) -> Value:
    if kind == "number":
        return _parse_number(raw, at)
    if not isinstance(raw, str):
        raise invalid(at, "invalid_type")
    if len(raw) > MAX_LENGTH:
        raise invalid(at, "too_long")
    if not raw:
        raise invalid(at, "too_short")
    if "\x00" in raw:
        raise invalid(at, "invalid_text")
    if problem := _find_problem(raw, kind, choices):
        raise _build_refusal(at, problem, choices if kind == "choice" else ())
    return str(parse_uuid(raw)) if kind in ("unit", "group") else raw


def _find_problem(text: str, kind: Kind, choices: Collection[str]) -> str | None:
    if kind == "date" and parse_iso_day(text) is None:
        return "invalid_date"
    if kind == "role" and text not in get_args(Role):
        return "invalid_value"
    if kind == "choice" and text not in choices:
        return "invalid_value"
    if kind in ("unit", "group") and parse_uuid(text) is None:
        return "invalid_uuid"
    return None


def _build_refusal(at: str, code: str, allowed: Collection[str]) -> Invalid:
    return invalid(at, code, allowed=list(allowed)) if allowed else invalid(at, code)


def _parse_number(raw: object, at: str) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise invalid(at, "invalid_type")
    if not -_MAX_NUMBER <= raw <= _MAX_NUMBER or not isfinite(raw):
        raise invalid(at, "out_of_range")
    return raw


def list_conditions(node: Node) -> Iterator[Condition]:
    """Yields every condition of a rule."""
    if isinstance(node, Condition):
        yield node
    elif isinstance(node, Not):
        yield from list_conditions(node.node)
    else:
        for each in node.nodes:
            yield from list_conditions(each)


def matches(node: Node, person: Person) -> bool:
    """Returns whether the rule applies. A member without a value meets no condition."""
    if isinstance(node, Condition):
        return _meets(node, person)
    if isinstance(node, Not):
        return not matches(node.node, person)
    if isinstance(node, All):
        return all(matches(each, person) for each in node.nodes)
    return any(matches(each, person) for each in node.nodes)


def _meets(condition: Condition, person: Person) -> bool:
    values = condition.values
    if condition.field == "learning_group_id":
        return not values.isdisjoint(person.groups)
    if condition.op == "under":
        return not values.isdisjoint(person.units)
    value = _read(condition.field, person)
    if value is None:
        return False
    if condition.op in ("eq", "in"):
        return value in values
    (bound,) = values
    if condition.op == "starts_with":
        return isinstance(value, str) and value.startswith(str(bound))
    if isinstance(value, str) is not isinstance(bound, str):
        return False
    return value < bound if condition.op == "before" else value > bound  # type: ignore[operator]


def _read(field: str, person: Person) -> Value | None:
    if field.startswith(CUSTOM):
        return person.custom_fields.get(field.removeprefix(CUSTOM))
    if field == "business_unit_id":
        return str(person.business_unit_id) if person.business_unit_id else None
    value: Value | None = getattr(person, field)
    return value
