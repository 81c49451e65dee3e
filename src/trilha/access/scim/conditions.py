"""Parsed filters, and the comparison of names, without the SCIM library."""

from typing import Any
from unicodedata import normalize
from uuid import UUID

from msgspec import Struct, field

from trilha.core.web.parsing import parse_uuid


class Condition(Struct, frozen=True):
    """A WHERE condition with its parameters. `equal` has attributes that must equal a value, for the use of
    indexes.
    """

    sql: str
    params: dict[str, Any]
    equal: dict[str, str] = field(default_factory=dict)


def user_name_key(text: str) -> str:
    """Returns the normalized form in which account names are compared."""
    return normalize("NFC", normalize("NFC", text).lower())


def id_of(text: str) -> UUID | None:
    return parse_uuid(text)


def is_storable(text: str) -> bool:
    """Returns whether PostgreSQL can store the text: without NUL and without lone surrogates."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
