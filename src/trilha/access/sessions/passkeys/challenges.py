"""Challenges: random, for one session or one browser, and good for one answer."""

import hashlib
import secrets

from trilha.access.permissions.viewer import Viewer
from trilha.core.web.cookies import Cookie
from trilha.core.web.request import Request

_CHALLENGE_BYTES = 32
# Names the browser that signs in, so that nobody else's answer fits its challenge.
_COOKIE = Cookie("trilha_passkey")
_MAX_COOKIE = 100


def new_challenge() -> bytes:
    return secrets.token_bytes(_CHALLENGE_BYTES)


def bind_session(viewer: Viewer) -> bytes:
    """Returns what binds a challenge to the viewer's session."""
    return hashlib.sha256(b"session" + viewer.session_id.bytes).digest()


def find_browser(request: Request) -> bytes | None:
    """Returns what binds a challenge to this browser, or None if it has never asked for one."""
    value = _COOKIE.read(request)
    return (
        hashlib.sha256(b"browser" + value.encode()).digest() if value and len(value) < _MAX_COOKIE else None
    )


def bind_browser(request: Request) -> bytes:
    """Returns the same. A browser without a cookie gets one."""
    browser = find_browser(request)
    if browser is not None:
        return browser
    value = secrets.token_urlsafe(32)
    _COOKIE.set(request, value)
    return hashlib.sha256(b"browser" + value.encode()).digest()
