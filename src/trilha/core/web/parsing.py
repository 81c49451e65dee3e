"""From bytes and query strings to Structs, with every problem told at once.

The fast way is msgspec's decoder, which stops at the first fault. Only when it finds one is the input
walked member by member, to collect them all.

A Struct may define `problems(values, today)`: a static method that is given the members that were fine
(by name) and yields what is wrong with them together or on this day.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec
from msgspec import NODEFAULT, Struct

from trilha.core.errors import CODES, BadRequest, Invalid, Problem, problem
from trilha.core.types import Refused, Text, dec_hook
from trilha.core.web.json_values import MOST_VALUES, TooMany, has_many_values, plain_values

S = TypeVar("S", bound=Struct)

# msgspec tells the kind of fault only in its message.
_FAULTS = (
    (re.compile(r"Expected `(str|array)` of length <="), "too_long"),
    (re.compile(r"Expected `(str|array)` of length >="), "too_short"),
    (re.compile(r"Expected `(int|float)` [<>]"), "out_of_range"),
    (re.compile(r"Integer value out of range"), "out_of_range"),
    (re.compile(r"Invalid UUID"), "invalid_uuid"),
    (re.compile(r"Invalid RFC3339 encoded datetime"), "invalid_date_time"),
    (re.compile(r"Invalid RFC3339 encoded date"), "invalid_date"),
    (re.compile(r"Invalid enum value|matching regex"), "invalid_value"),
)
# How many problems of a request are told; one more says that there are others.
MOST_PROBLEMS = 100
MORE_PROBLEMS = problem("", "more_problems")
_LONGEST_NAME = 50  # characters of an unknown member's name that are repeated
_CANONICAL_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def parse_uuid(text: str) -> UUID | None:
    """Only the hyphenated form: one resource, one address."""
    return UUID(text) if _CANONICAL_UUID.fullmatch(text) else None


@cache
def _decoder(kind: type[S]) -> msgspec.json.Decoder[S]:
    return msgspec.json.Decoder(kind, dec_hook=dec_hook)


def parse_body(kind: type[S], body: bytes, today: date) -> S:
    """The body as a Struct. Raises BadRequest (malformed_json) or Invalid with all its problems."""
    if (value := parse_right(kind, body, today)) is not None:
        return value
    names = {each.encode_name for each in _fields(kind)}
    return convert(kind, plain_values(body, names, _most_values(kind)), today)


def parse_right(kind: type[S], body: bytes, today: date) -> S | None:
    """The body as a Struct, None for one that needs a closer look. Raises BadRequest (malformed_json)."""
    # A backslash-u-zero may be NUL, which PostgreSQL cannot store.
    if b"\\u0000" in body or has_many_values(body, _most_values(kind)):
        return None
    try:
        value: S = _decoder(kind).decode(body)
    except msgspec.ValidationError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequest("malformed_json") from None
    return None if any(_own_problems(kind, value, today)) else value


def _most_values(kind: type[Struct]) -> int:
    """How many JSON values a body of this kind may have without a closer look."""
    most: int = getattr(kind, "most_values", MOST_VALUES)
    return most


def parse_query(kind: type[S], query: str, today: date, blanks: bool = True) -> S:
    """The query string as a Struct. Raises Invalid: a repeated parameter is a problem too, and an unknown one
    unless the Struct `passes_over_unknown`.

    Without `blanks`, an empty value counts as left out.
    """
    if not query:
        with suppress(TypeError):  # a parameter is required
            return kind()
    raw: dict[str, str] = {}
    problems: list[Problem] = []
    try:
        pairs = parse_qsl(query, keep_blank_values=blanks, errors="strict", max_num_fields=100)
    except (UnicodeDecodeError, ValueError):
        raise Invalid([problem("query", "invalid_text")]) from None
    known = {each.encode_name for each in _fields(kind)}
    for name, value in pairs:
        if name not in known:
            if not getattr(kind, "passes_over_unknown", False):
                problems.append(problem(name[:_LONGEST_NAME], "unknown_parameter"))
        elif name in raw:
            problems.append(problem(name, "duplicate_parameter"))
        else:
            raw[name] = value
    try:
        parsed = convert_text(kind, raw, today)
    except Invalid as error:
        raise Invalid([*problems, *error.detail]) from None
    if problems:
        raise Invalid(problems)
    return parsed


def convert_text(kind: type[S], raw: Mapping[str, Any], today: date) -> S:
    """A Struct of the fields of a form or a query string. Raises Invalid with its problems."""
    # The walk keeps `null` as the text that it is, refuses NUL, and knows lists and files.
    for each in raw.values():
        if not isinstance(each, str) or "\x00" in each or (len(each) == 4 and each.lower() == "null"):
            break
    else:
        with suppress(msgspec.ValidationError):
            value = msgspec.convert(raw, kind, strict=False, dec_hook=dec_hook)
            if not any(_own_problems(kind, value, today)):
                return value
    return convert(kind, raw, today, strict=False)


def convert_json(kind: type[S], raw: Mapping[str, Any], today: date) -> S:
    """As `convert`, quicker for what is right."""
    if not any(isinstance(each, str) and "\x00" in each for each in raw.values()):
        with suppress(msgspec.ValidationError):
            value = msgspec.convert(raw, kind, dec_hook=dec_hook)
            if not any(_own_problems(kind, value, today)):
                return value
    return convert(kind, raw, today)


def convert(kind: type[S], raw: object, today: date, strict: bool = True) -> S:
    """A Struct of plain JSON values. Raises Invalid with its problems, at most MOST_PROBLEMS of them."""
    walk = _Walk(today, strict)
    with suppress(_Enough):
        value = walk.struct(kind, raw, "")
    if walk.problems:
        raise Invalid(walk.problems)
    return value  # type: ignore[no-any-return]


def _own_problems(kind: type[Struct], value: Struct, today: date) -> Iterator[Problem]:
    if check := getattr(kind, "problems", None):
        yield from check({name: getattr(value, name) for name in kind.__struct_fields__}, today)


def told(problems: Sequence[Problem]) -> list[Problem]:
    """As many as are told, and that there are more where there are."""
    found = [each for each in problems if each != MORE_PROBLEMS]
    more = len(found) > MOST_PROBLEMS or len(found) < len(problems)
    return [*found[:MOST_PROBLEMS], MORE_PROBLEMS] if more else found


# It reads the annotations anew each time.
_fields = cache(msgspec.structs.fields)


class _Enough(Exception):
    """More problems than are told."""


class _Walk:
    """Goes through plain values member by member and collects what is wrong with them."""

    def __init__(self, today: date, strict: bool) -> None:
        self.problems: list[Problem] = []
        self._today = today
        self._strict = strict

    def _add(self, problem: Problem) -> None:
        if len(self.problems) == MOST_PROBLEMS:
            self.problems.append(MORE_PROBLEMS)
            raise _Enough
        self.problems.append(problem)

    def struct(self, kind: type[Struct], raw: object, at: str) -> Any:
        """The Struct, or None where something is wrong with it."""
        if not isinstance(raw, dict):
            return self._add(problem(at.rstrip("."), "invalid_type"))
        before = len(self.problems)
        fields = _fields(kind)
        values = self._members(fields, raw, at)
        if kind.__struct_config__.forbid_unknown_fields:
            known = {field.encode_name for field in fields}
            for name in raw:
                if name not in known:
                    self._add(problem(at + str(name)[:_LONGEST_NAME], "unknown_field"))
        if check := getattr(kind, "problems", None):
            for found in check(values, self._today):
                self._add(msgspec.structs.replace(found, field=at + found.field))
        return kind(**values) if len(self.problems) == before else None

    def _members(
        self, fields: Sequence[msgspec.structs.FieldInfo], raw: dict[Any, Any], at: str
    ) -> dict[str, Any]:
        """Those that are right, by their names in Python."""
        values: dict[str, Any] = {}
        for field in fields:
            name = field.encode_name
            if name in raw:
                before = len(self.problems)
                value = self._value(field.type, raw[name], at + name)
                if len(self.problems) == before:
                    values[field.name] = value
            elif field.default is NODEFAULT and field.default_factory is NODEFAULT:
                self._add(problem(at + name, "required"))
            elif field.default is not NODEFAULT:
                values[field.name] = field.default
            else:
                values[field.name] = field.default_factory()
        return values

    def _value(self, kind: Any, raw: object, at: str) -> Any:
        inner = _without_null(kind)
        if isinstance(raw, dict) and isinstance(inner, type) and issubclass(inner, Struct):
            return self.struct(inner, raw, at + ".")
        item = _item_of(inner)
        if isinstance(raw, TooMany):
            return self._add(problem(at, "invalid_type" if item is None else "too_long"))
        if item is None or not isinstance(raw, list):
            return self._leaf(kind, raw, at)
        if code := _length_problem(inner, len(raw)):
            # Checked before the items, which may be a great many.
            return self._add(problem(at, code))
        return [self._value(item, each, f"{at}.{number}") for number, each in enumerate(raw)]

    def _leaf(self, kind: Any, raw: object, at: str) -> Any:
        if isinstance(raw, str) and "\x00" in raw:
            return self._add(problem(at, "invalid_text"))
        if isinstance(raw, float) and math.isinf(raw):
            raise BadRequest("malformed_json")  # a number that no double holds
        if not self._strict:
            # In a query string `null` is text and never None, which would drop the filter.
            kind = _without_null(kind)
        try:
            return msgspec.convert(raw, kind, strict=self._strict, dec_hook=dec_hook)
        except msgspec.ValidationError as error:
            code = _code_of(error)
            return self._add(problem(at, code, **_bounds(kind, code)))


def _length_problem(kind: Any, length: int) -> str | None:
    for meta in getattr(kind, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta):
            if meta.max_length is not None and length > meta.max_length:
                return "too_long"
            if meta.min_length is not None and length < meta.min_length:
                return "too_short"
    return None


def _code_of(error: msgspec.ValidationError) -> str:
    if isinstance(error.__cause__, Refused):
        return str(error.__cause__)
    text = str(error)
    code = next((code for pattern, code in _FAULTS if pattern.search(text)), "invalid_type")
    assert code in CODES
    return code


def _bounds(kind: Any, code: str) -> dict[str, Any]:
    """What a member of this type takes, as the members of Problem tell it."""
    kind, least, most = _without_null(kind), None, None
    while hasattr(kind, "__metadata__"):
        for meta in (each for each in kind.__metadata__ if isinstance(each, msgspec.Meta)):
            least, most = (meta.ge if least is None else least), (meta.le if most is None else most)
        kind = _without_null(get_args(kind)[0])
    if code == "out_of_range":
        bounds = {"minimum": least, "maximum": most}
        return {name: bound for name, bound in bounds.items() if bound is not None}
    if get_origin(kind) is Literal:
        return {"allowed": [each for each in get_args(kind) if each is not None]}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"allowed": [each.value for each in kind]}
    if isinstance(kind, type) and issubclass(kind, Text) and (allowed := kind.allowed()):
        return {"allowed": allowed}
    return {}


def _without_null(kind: Any) -> Any:
    if get_origin(kind) in (Union, UnionType):
        arms = [arm for arm in get_args(kind) if arm not in (type(None), msgspec.UnsetType)]
        return arms[0] if len(arms) == 1 else kind
    return kind


def _item_of(kind: Any) -> Any:
    """`T` of `list[T]` or `Annotated[list[T], …]`; else None."""
    while hasattr(kind, "__metadata__"):
        kind = get_args(kind)[0]
    return get_args(kind)[0] if get_origin(kind) is list else None
