"""Parses what all reports of the player have in common."""

import hashlib
import json
from typing import Any

import msgspec

from trilha.core.errors import BadRequest, invalid

_MAX_SEQUENCE = 2**53

_MAX_MILLISECONDS = 1e14  # some thousand years

_MAX_LEFT_OUT = 1_000_000


def read_report(raw: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads an object with `launch: {sequence, final}`: the body, and the members of its `Report`.

    Raises BadRequest (malformed_json) and Invalid.
    """
    body = _decode(raw)
    if not isinstance(body, dict):
        raise invalid("", "invalid_type")
    said = body.get("launch")
    sequence = said.get("sequence") if isinstance(said, dict) else None
    if not isinstance(said, dict) or not isinstance(sequence, int) or isinstance(sequence, bool):
        raise invalid("launch.sequence", "invalid_type")
    if not 1 <= sequence < _MAX_SEQUENCE:
        raise invalid("launch.sequence", "out_of_range")
    base = said.get("base")
    return body, {
        "sequence": sequence,
        "final": said.get("final") is True,
        "hash": hashlib.sha256(raw).digest(),
        "raw": raw,
        "base": base if isinstance(base, int) else None,
        "sent_at": _read_number(said.get("sent_at"), _MAX_MILLISECONDS),
        "left_out": int(_read_number(said.get("left_out"), _MAX_LEFT_OUT)),
    }


def _read_number(said: object, most: float) -> float:
    """A number as a browser says it; 0 for anything else."""
    is_number = isinstance(said, int | float) and not isinstance(said, bool)
    return float(said) if is_number and 0 <= said <= most else 0.0  # type: ignore[arg-type, operator]


def _decode(raw: bytes) -> object:
    """Raises BadRequest (malformed_json)."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        # Content that cuts a text in the middle of a character sends half of one.
        return _replace_half_characters(json.loads(raw, parse_constant=_refuse))
    except (ValueError, RecursionError):
        raise BadRequest("malformed_json") from None


def _refuse(constant: str) -> object:
    """Of NaN and the infinities, which are no JSON."""
    raise ValueError(constant)


def _replace_half_characters(value: object) -> object:
    """The same with a question mark in place of each half of a character, which nothing can store."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {
            _replace_half_characters(name): _replace_half_characters(each) for name, each in value.items()
        }
    if isinstance(value, list):
        return [_replace_half_characters(each) for each in value]
    return value
