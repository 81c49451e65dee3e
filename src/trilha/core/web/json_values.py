"""Parses JSON to plain values, and leaves lists with far too many items unread.

Creating half a million values from two megabytes of text takes a tenth of a second and blocks the
interpreter.
"""

import gc
from collections.abc import Container
from typing import Any

import msgspec

from trilha.core.errors import BadRequest

# msgspec's own parsing of very large or small floats takes microseconds
_PLAIN = msgspec.json.Decoder(float_hook=float)
# the members of an object, as unparsed text
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_SYNTAX = msgspec.json.Decoder(msgspec.Raw)
# more than any accepted list has
MAX_VALUES = 20_000


class TooMany:
    """Replaces a list that was not read because it has far too many items."""


def has_many_values(text: bytes, limit: int = MAX_VALUES) -> bool:
    """Returns whether the text may have many values. It can be wrong, because quoted text may have the
    same characters.
    """
    # A short text cannot have many values.
    return len(text) > limit and any(
        text.count(mark) > times for mark, times in ((b"{", limit), (b"[", limit), (b'"', 2 * limit))
    )


def plain_values(body: bytes, names: Container[str] | None = None, limit: int = MAX_VALUES) -> Any:
    """Parses the body to JSON values, with overlong lists as TooMany. With `names`, only these members.

    Raises BadRequest (malformed_json).
    """
    if not has_many_values(body, limit):
        return _all_values(body)
    first = body.lstrip()[:1]
    if first == b"[":
        _decode(_SYNTAX, body)
        return TooMany()
    if first != b"{":
        return _all_values(body)
    members = _decode(_MEMBERS, body)
    return {
        name: _plain_member(member, limit) if names is None or name in names else None
        for name, member in members.items()
    }


def _plain_member(member: msgspec.Raw, limit: int) -> Any:
    """Parses a member. Its syntax was checked when the object was split."""
    text = bytes(member)
    return (
        TooMany()
        if text.startswith(b"[") and has_many_values(text, limit)
        else plain_values(text, limit=limit)
    )


def _decode(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequest("malformed_json") from None


def _all_values(body: bytes) -> Any:
    # Garbage collection would take most of the time for a body of empty lists.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _decode(_PLAIN, body)
    finally:
        if collects:
            gc.enable()
