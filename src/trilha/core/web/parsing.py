"""Parses bytes and query strings to Structs, and reports all problems at once.

The fast path is msgspec's decoder, which stops at the first problem. Only then is the input examined member
by member, to collect all problems.

A Struct may define `problems(values, today)`, a static method. It receives the valid members by name and
yields problems with their combination or with the current date.
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
from trilha.core.types import InvalidValue, Text, dec_hook
from trilha.core.web.json_values import MAX_VALUES, TooMany, has_many_values, plain_values

S = TypeVar("S", bound=Struct)

# msgspec reports the kind of problem only in its message.
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
# The maximum number of reported problems. One more says that there are others.
MAX_PROBLEMS = 100
OTHER_PROBLEMS = problem("", "more_problems")
_LONGEST_NAME = 50  # the maximum length of an unknown member's name in a problem
_CANONICAL_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def parse_uuid(text: str) -> UUID | None:
    """Parses a UUID in hyphenated form only, so that each resource has one URL."""
    return UUID(text) if _CANONICAL_UUID.fullmatch(text) else None


@cache
def _decoder(kind: type[S]) -> msgspec.json.Decoder[S]:
    return msgspec.json.Decoder(kind, dec_hook=dec_hook)


def parse_body(kind: type[S], body: bytes, today: date) -> S:
    """Parses the body to a Struct. Raises BadRequest (malformed_json), or Invalid with all problems."""
    if (value := parse_right(kind, body, today)) is not None:
        return value
    names = {each.encode_name for each in _fields(kind)}
    return convert(kind, plain_values(body, names, _get_value_limit(kind)), today)


def parse_right(kind: type[S], body: bytes, today: date) -> S | None:
    """Parses the body to a Struct, or returns None if it needs a closer look. Raises BadRequest
    (malformed_json).
    """
    # A `u0000` escape may be NUL, which PostgreSQL cannot store.
    if b"\\u0000" in body or has_many_values(body, _get_value_limit(kind)):
        return None
    try:
        value: S = _decoder(kind).decode(body)
    except msgspec.ValidationError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequest("malformed_json") from None
    return None if any(_own_problems(kind, value, today)) else value


def _get_value_limit(kind: type[Struct]) -> int:
    """Returns how many JSON values a body of this kind may have without a closer look."""
    limit: int = getattr(kind, "most_values", MAX_VALUES)
    return limit


def parse_query(kind: type[S], query: str, today: date, blanks: bool = True) -> S:
    """Parses the query string to a Struct. Raises Invalid. Repeated parameters are problems; so are unknown
    ones, unless the Struct `passes_over_unknown`.

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
    """Converts the fields of a form or a query string to a Struct. Raises Invalid with all problems."""
    # The walk handles `null` as text, refuses NUL, and supports lists and files.
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
    """Like `convert`, but quicker for valid values."""
    if not any(isinstance(each, str) and "\x00" in each for each in raw.values()):
        with suppress(msgspec.ValidationError):
            value = msgspec.convert(raw, kind, dec_hook=dec_hook)
            if not any(_own_problems(kind, value, today)):
                return value
    return convert(kind, raw, today)


def convert(kind: type[S], raw: object, today: date, strict: bool = True) -> S:
    """Converts plain JSON values to a Struct. Raises Invalid with all problems, at most MAX_PROBLEMS."""
    walk = _Walk(today, strict)
    with suppress(_Enough):
        value = walk.struct(kind, raw, "")
    if walk.problems:
        raise Invalid(walk.problems)
    return value  # type: ignore[no-any-return]


def _own_problems(kind: type[Struct], value: Struct, today: date) -> Iterator[Problem]:
    if check := getattr(kind, "problems", None):
        yield from check({name: getattr(value, name) for name in kind.__struct_fields__}, today)


def limit_problems(problems: Sequence[Problem]) -> list[Problem]:
    """Limits the number of reported problems, and adds one that says that there are more."""
    found = [each for each in problems if each != OTHER_PROBLEMS]
    more = len(found) > MAX_PROBLEMS or len(found) < len(problems)
    return [*found[:MAX_PROBLEMS], OTHER_PROBLEMS] if more else found


# it parses the annotations each time
_fields = cache(msgspec.structs.fields)


class _Enough(Exception):
    """Raised when enough problems are found."""


class _Walk:
    """Examines plain values member by member and collects problems."""

    def __init__(self, today: date, strict: bool) -> None:
        self.problems: list[Problem] = []
        self._today = today
        self._strict = strict

    def _add(self, problem: Problem) -> None:
        if len(self.problems) == MAX_PROBLEMS:
            self.problems.append(OTHER_PROBLEMS)
            raise _Enough
        self.problems.append(problem)

    def struct(self, kind: type[Struct], raw: object, at: str) -> Any:
        """Returns the Struct, or None if it has problems."""
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
        """Returns the valid members by their Python names."""
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
            # Checked before the items, of which there may be many.
            return self._add(problem(at, code))
        return [self._value(item, each, f"{at}.{number}") for number, each in enumerate(raw)]

    def _leaf(self, kind: Any, raw: object, at: str) -> Any:
        if isinstance(raw, str) and "\x00" in raw:
            return self._add(problem(at, "invalid_text"))
        if isinstance(raw, float) and math.isinf(raw):
            raise BadRequest("malformed_json")  # a number that no double can represent
        if not self._strict:
            # In a query string, `null` is text. As None, it would drop the filter.
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
    if isinstance(error.__cause__, InvalidValue):
        return str(error.__cause__)
    text = str(error)
    code = next((code for pattern, code in _FAULTS if pattern.search(text)), "invalid_type")
    assert code in CODES
    return code


def _bounds(kind: Any, code: str) -> dict[str, Any]:
    """Returns the allowed values of a member's type, as members of Problem."""
    kind, least, limit = _without_null(kind), None, None
    while hasattr(kind, "__metadata__"):
        for meta in (each for each in kind.__metadata__ if isinstance(each, msgspec.Meta)):
            least, limit = (meta.ge if least is None else least), (meta.le if limit is None else limit)
        kind = _without_null(get_args(kind)[0])
    if code == "out_of_range":
        bounds = {"minimum": least, "maximum": limit}
        return {name: bound for name, bound in bounds.items() if bound is not None}
    if get_origin(kind) is Literal:
        return {"allowed": [each for each in get_args(kind) if each is not None]}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"allowed": [each.value for each in kind]}
    if isinstance(kind, type) and issubclass(kind, Text) and (allowed := kind.list_values()):
        return {"allowed": allowed}
    return {}


def _without_null(kind: Any) -> Any:
    if get_origin(kind) in (Union, UnionType):
        arms = [arm for arm in get_args(kind) if arm not in (type(None), msgspec.UnsetType)]
        return arms[0] if len(arms) == 1 else kind
    return kind


def _item_of(kind: Any) -> Any:
    """Returns `T` of `list[T]` or `Annotated[list[T], …]`, else None."""
    while hasattr(kind, "__metadata__"):
        kind = get_args(kind)[0]
    return get_args(kind)[0] if get_origin(kind) is list else None
