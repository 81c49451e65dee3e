"""Links that work for a limited time, for anybody who has them, and for one object."""

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlencode

from msgspec import Struct

from trilha.core.errors import Forbidden
from trilha.core.secrets import Keyring

LASTS = timedelta(minutes=15)


class LinkQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters that `build_signed_query` adds. `expires` is in seconds since 1970."""

    expires: int = 0
    signature: str = ""


def build_signed_query(keyring: Keyring, purpose: bytes, parts: Sequence[object], now: datetime) -> str:
    """Builds the query of a link to the object that `parts` identify."""
    expires = int((now + LASTS).timestamp())
    return urlencode({"expires": expires, "signature": _signature(keyring, purpose, parts, expires)})


def check(keyring: Keyring, purpose: bytes, parts: Sequence[object], query: LinkQuery, now: datetime) -> None:
    """Raises Forbidden (link_invalid, link_expired)."""
    made = _signature(keyring, purpose, parts, query.expires)
    if not hmac.compare_digest(made.encode(), query.signature.encode()):
        raise Forbidden("link_invalid")
    if query.expires <= now.timestamp():
        raise Forbidden("link_expired")


def _signature(keyring: Keyring, purpose: bytes, parts: Sequence[object], expires: int) -> str:
    return keyring.mac(purpose, *(str(each).encode() for each in (*parts, expires))).hex()
