"""Links that are good for a while for whoever has them, and lead to one thing alone."""

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlencode

from msgspec import Struct

from trilha.core.errors import Forbidden
from trilha.core.secrets import Keyring

LASTS = timedelta(minutes=15)


class LinkQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `signed` adds. `expires` is in seconds since 1970."""

    expires: int = 0
    signature: str = ""


def signed(keyring: Keyring, purpose: bytes, parts: Sequence[object], now: datetime) -> str:
    """The query of a link to what `parts` name."""
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
