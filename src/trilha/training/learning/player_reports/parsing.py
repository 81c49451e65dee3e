"""Parses the part that all reports of the player have in common."""

import hashlib
import json
from typing import Any

import msgspec

from trilha.core.errors import BadRequest, invalid

_MAX_SEQUENCE = 2**53
_MAX_MILLISECONDS = 1e14  # some thousand years
_MAX_LEFT_OUT = 1_000_000


def read_report(raw: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the body, an object with `launch: {sequence, final}`, and the members of its `Report`.

    Raises BadRequest (malformed_json) and Invalid.
    """
    body = decode(raw)
    if not isinstance(body, dict):
        raise invalid("", "invalid_type")
    launch = body.get("launch")
    sequence = launch.get("sequence") if isinstance(launch, dict) else None
    if not isinstance(launch, dict) or not isinstance(sequence, int) or isinstance(sequence, bool):
        raise invalid("launch.sequence", "invalid_type")
    if not 1 <= sequence < _MAX_SEQUENCE:
        raise invalid("launch.sequence", "out_of_range")
    base = launch.get("base")
    return body, {
        "sequence": sequence,
        "final": launch.get("final") is True,
        "hash": hashlib.sha256(raw).digest(),
        "raw": raw,
        "base": base if isinstance(base, int) else None,
        "sent_at": _read_number(launch.get("sent_at"), _MAX_MILLISECONDS),
        "left_out": int(_read_number(launch.get("left_out"), _MAX_LEFT_OUT)),
    }


def _read_number(value: object, limit: float) -> float:
    """Returns a number from 0 to `limit`, and 0 for anything else."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    return float(value) if 0 <= value <= limit else 0.0


def decode(raw: bytes) -> object:
    """Decodes a report's JSON. Raises BadRequest (malformed_json)."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        # Content that cuts a text in the middle of a character sends a lone surrogate.
        return _replace_surrogates(json.loads(raw, parse_constant=_refuse))
    except (ValueError, RecursionError):
        raise BadRequest("malformed_json") from None


def _refuse(constant: str) -> object:
    """Refuses NaN and the infinities, which are not JSON."""
    raise ValueError(constant)


def _replace_surrogates(value: object) -> object:
    """Puts a question mark in place of each lone surrogate, which the database cannot store."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {_replace_surrogates(name): _replace_surrogates(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_replace_surrogates(item) for item in value]
    return value
