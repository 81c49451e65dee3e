"""A filter that was read, and how names are compared: what needs no library."""

from typing import Any
from unicodedata import normalize
from uuid import UUID

from msgspec import Struct, field

from trilha.core.web.parsing import parse_uuid


class Condition(Struct, frozen=True):
    """SQL for a WHERE and its parameters. `equal` are values that every row that is found has, by name."""

    sql: str
    params: dict[str, Any]
    equal: dict[str, str] = field(default_factory=dict)


def user_name_key(text: str) -> str:
    """How names of accounts are compared."""
    return normalize("NFC", normalize("NFC", text).lower())


def id_of(text: str) -> UUID | None:
    return parse_uuid(text)


def is_storable(text: str) -> bool:
    """PostgreSQL has no NUL, and UTF-8 no half of a character."""
    return "\x00" not in text and not any("\ud800" <= each <= "\udfff" for each in text)
