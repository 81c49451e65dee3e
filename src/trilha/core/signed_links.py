"""Links that work for a limited time, for anybody who has them, and for one object."""

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
    signature = keyring.sign(purpose, *_encode(parts, expires))
    return urlencode({"expires": expires, "signature": signature.hex()})


def check(keyring: Keyring, purpose: bytes, parts: Sequence[object], query: LinkQuery, now: datetime) -> None:
    """Raises Forbidden (link_invalid, link_expired)."""
    try:
        signature = bytes.fromhex(query.signature)
    except ValueError:
        raise Forbidden("link_invalid") from None
    if not keyring.is_signed(signature, purpose, *_encode(parts, query.expires)):
        raise Forbidden("link_invalid")
    if query.expires <= now.timestamp():
        raise Forbidden("link_expired")


def _encode(parts: Sequence[object], expires: int) -> list[bytes]:
    return [str(each).encode() for each in (*parts, expires)]
