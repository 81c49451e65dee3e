"""The cookie that binds a sign-in to a browser."""

import hmac

from trilha.access.sso.rules import is_secret, new_secret
from trilha.core.secrets import Keyring
from trilha.core.web.cookies import Cookie
from trilha.core.web.request import Request

_COOKIE = Cookie("sso_b")


def find(request: Request, keyring: Keyring) -> bytes | None:
    """Returns the browser's fingerprint, or None if it began no sign-in."""
    value = _COOKIE.read(request)
    return _fingerprint(value, keyring) if value and is_secret(value) else None


def mark(request: Request, keyring: Keyring) -> bytes:
    """Returns the browser's fingerprint, setting the cookie if necessary. Parallel sign-ins share it."""
    if (fingerprint := find(request, keyring)) is not None:
        return fingerprint
    value = new_secret()
    _COOKIE.set(request, value)
    return _fingerprint(value, keyring)


def is_same(request: Request, keyring: Keyring, browser: bytes) -> bool:
    fingerprint = find(request, keyring)
    return fingerprint is not None and hmac.compare_digest(fingerprint, browser)


def _fingerprint(value: str, keyring: Keyring) -> bytes:
    return keyring.fingerprint(f"sso-browser:{value}")
