"""The browser that a sign-in is bound to, by a cookie of its own."""

import hmac

from trilha.core.secrets import Keyring
from trilha.core.web.cookies import Cookie
from trilha.core.web.request import Request
from trilha.sso.rules import is_secret, new_secret

_COOKIE = Cookie("sso_b")


def find(request: Request, keyring: Keyring) -> bytes | None:
    """The fingerprint of this browser; None for one that began no sign-in."""
    value = _COOKIE.read(request)
    return _fingerprint(value, keyring) if value and is_secret(value) else None


def mark(request: Request, keyring: Keyring) -> bytes:
    """The fingerprint of this browser, which is known from here on. Sign-ins in parallel share it."""
    if (known := find(request, keyring)) is not None:
        return known
    value = new_secret()
    _COOKIE.set(request, value)
    return _fingerprint(value, keyring)


def is_same(request: Request, keyring: Keyring, browser: bytes) -> bool:
    known = find(request, keyring)
    return known is not None and hmac.compare_digest(known, browser)


def _fingerprint(value: str, keyring: Keyring) -> bytes:
    return keyring.fingerprint(f"sso-browser:{value}")
