"""JSON as plain values, with what would be far too many of them left unread.

To make half a million values of two megabytes of text takes a tenth of a second, in which the interpreter
does nothing else.
"""

import gc
from collections.abc import Container
from typing import Any

import msgspec

from trilha.core.errors import BadRequest

# msgspec's own reading of a float far from 1 takes microseconds.
_PLAIN = msgspec.json.Decoder(float_hook=float)
# The members of an object, each as the text that it is written in.
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_SYNTAX = msgspec.json.Decoder(msgspec.Raw)
# No list that is taken has so many.
MOST_VALUES = 20_000


class TooMany:
    """In place of a list that is not read, as it has far too many items."""


def has_many_values(text: bytes, most: int = MOST_VALUES) -> bool:
    """Perhaps: text that is quoted may have the same characters."""
    # A short one cannot, whatever it is made of.
    return len(text) > most and any(
        text.count(mark) > times for mark, times in ((b"{", most), (b"[", most), (b'"', 2 * most))
    )


def plain_values(body: bytes, names: Container[str] | None = None, most: int = MOST_VALUES) -> Any:
    """The body as JSON values, lists of far too many items as TooMany; with `names` only their members.

    Raises BadRequest (malformed_json).
    """
    if not has_many_values(body, most):
        return _all_values(body)
    first = body.lstrip()[:1]
    if first == b"[":
        _decoded(_SYNTAX, body)
        return TooMany()
    if first != b"{":
        return _all_values(body)
    members = _decoded(_MEMBERS, body)
    return {
        name: _plain_member(member, most) if names is None or name in names else None
        for name, member in members.items()
    }


def _plain_member(member: msgspec.Raw, most: int) -> Any:
    """Its syntax is right: that was seen when it was parted from the others."""
    text = bytes(member)
    return (
        TooMany() if text.startswith(b"[") and has_many_values(text, most) else plain_values(text, most=most)
    )


def _decoded(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequest("malformed_json") from None


def _all_values(body: bytes) -> Any:
    # Garbage collection would take most of the time of a body made of empty lists.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _decoded(_PLAIN, body)
    finally:
        if collects:
            gc.enable()
