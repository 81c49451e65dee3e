"""Decodes JSON of clients within limits, before anything walks through it."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from trilha.core.errors import ApiError, BadRequest
from trilha.training.xapi.errors import refuse

MAX_STATEMENTS = 1000  # of one request
MAX_STATEMENT_BYTES = 512 * 1024
MAX_VALUES = 10_000  # of one statement
MAX_DEPTH = 40
# Longer numbers take long to read, and have no place in a double.
_LONGEST_NUMBER = 300
_ANY = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
# A string without an end goes on to the end of the text. Each byte is looked at once.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_LONG_NUMBER = b"0" * _LONGEST_NUMBER
_DIGITS_TO_ZERO = bytes.maketrans(b"123456789", b"0" * 9)


class _Object(msgspec.Struct):
    """An object whose members are not kept."""


# Decoding to this first keeps a list of millions of numbers from taking much memory.
_OBJECTS = msgspec.json.Decoder(list[_Object])


def _refuse(message: str) -> ApiError:
    return refuse("invalid_xapi_content", message)


def split_statements(body: bytes) -> tuple[list[bytes], bool]:
    """Returns the JSON of each statement, and whether the body is an array. Their content is not decoded."""
    if not body.lstrip(b" \t\r\n").startswith(b"["):
        return [body], False
    # Far more objects than the largest batch has. Splitting them takes a while.
    if body.count(b"{") > MAX_STATEMENTS * 300:
        raise BadRequest("payload_too_large")
    try:
        _OBJECTS.decode(body)
        statements = _LIST.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _refuse("The body is not valid JSON, or has values that are no statements.") from None
    if len(statements) > MAX_STATEMENTS:
        raise _refuse(f"A request may have {MAX_STATEMENTS} statements.")
    return [bytes(each) for each in statements], True


def decode(text: bytes, limit: int = MAX_STATEMENT_BYTES, max_values: int = MAX_VALUES) -> Any:
    """Decodes JSON to plain values. Raises ApiError (invalid_xapi_content, payload_too_large)."""
    if len(text) > limit:
        raise BadRequest("payload_too_large")
    # Quoted text does not count. Removing it is slow and seldom needed, so first check with it.
    if _find_excess(text, max_values) and (problem := _find_excess(_remove_strings(text), max_values)):
        raise _refuse(problem)
    if b"\x00" in text or (b"\\u0000" in text and _NUL.search(text)):
        raise _refuse("The JSON has a NUL character, which cannot be stored.")
    try:
        value = _ANY.decode(text.decode("utf-8"))
    except (msgspec.DecodeError, ValueError, RecursionError, OverflowError):
        # UnicodeDecodeError is a ValueError.
        raise _refuse("This is not valid JSON in UTF-8, or has a number out of range.") from None
    # So few brackets cannot be nested too deeply.
    if text.count(b"{") + text.count(b"[") > MAX_DEPTH:
        _check_depth(value)
    _check_names(value, text)
    return value


def _find_excess(text: bytes, max_values: int) -> str | None:
    """Returns what is wrong with the number of values or with a number's length."""
    if max(text.count(b","), text.count(b"["), text.count(b"{")) > max_values:
        return f"The JSON has more than {max_values} values."
    is_long = _LONG_NUMBER in text.translate(_DIGITS_TO_ZERO)
    return "The JSON has a number that is too long." if is_long else None


def _remove_strings(text: bytes) -> bytes:
    return _STRING.sub(b"", text)


def _check_names(value: Any, text: bytes) -> None:
    """Refuses an object with two properties of the same name: parsers disagree on which of them counts."""
    # Most clients send compact JSON. It equals what we encode, so there is nothing to count.
    if _ENCODER.encode(value) != text and _remove_strings(text).count(b":") != _count_members(value):
        raise _refuse("The JSON has two properties with the same name in one object.")


def _count_members(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_members, value.values()))
    return sum(map(_count_members, value)) if isinstance(value, list) else 0


def _check_depth(value: Any) -> None:
    """Checks the depth, level by level."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for each in level if isinstance(each, dict | list) for inner in _list_inner(each)]
        if not level:
            return
    raise _refuse(f"The JSON is nested more than {MAX_DEPTH} levels deep.")


def _list_inner(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def split_members(text: bytes) -> dict[str, bytes]:
    """Returns the JSON of each member of an object that `decode` has accepted, exactly as it was sent."""
    return {name: bytes(raw) for name, raw in _MEMBERS.decode(text).items()}
