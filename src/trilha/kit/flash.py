"""A message about a completed action, displayed once on the page that follows a form. A message with a button
to undo the action is displayed on every page for a minute, so that people can look at what they did.

It travels in a cookie that only this host can write (`__Host-`), so it needs no signature, and is
displayed as text. It expires after a minute, so that it does not appear later on an unrelated page.
"""

import base64
import re
from binascii import Error as NotBase64
from datetime import datetime, timedelta

import msgspec

from trilha.core.web.answers import Answer, Redirect
from trilha.core.web.request import Request
from trilha.kit.page import Flash, State

_SECONDS = 60
_MAX_CHARACTERS = 300  # characters
_OWN_PAGE = re.compile(r"(/[a-z0-9-]+){1,6}")


def cookie_name(name: str, request: Request) -> str:
    """Adds the prefix that binds a cookie to this host. Browsers accept it only over TLS."""
    return f"__Host-{name}" if request.secure else name


def set_cookie(
    answer: Answer, name: str, value: str, *, seconds: int, secure: bool, readable: bool = False
) -> None:
    parts = [f"{name}={value}", "Path=/", f"Max-Age={seconds}", "SameSite=Lax"]
    parts += ["Secure"] if secure else []
    parts += [] if readable else ["HttpOnly"]
    answer.headers = [*answer.headers, (b"set-cookie", "; ".join(parts).encode())]


def redirect(
    request: Request,
    location: str,
    state: State,
    text: str,
    *,
    undo: str = "",
    details: str = "",
    now: datetime | None = None,
) -> Answer:
    """Redirects after a form, and displays there what was done. See Flash for `undo`, which needs `now`, and
    `details`.
    """
    answer = lead(request, location)
    until = int((now + timedelta(seconds=_SECONDS)).timestamp()) if undo and now else 0
    parts = [state, text[:_MAX_CHARACTERS], undo, details, until]
    told = base64.urlsafe_b64encode(msgspec.json.encode(parts)).decode()
    name = cookie_name("trilha_flash", request)
    set_cookie(answer, name, told, seconds=_SECONDS, secure=request.secure)
    return answer


def lead(request: Request, location: str, status: int = 303) -> Answer:
    """Redirects to another page. For htmx, which would follow a 303 unnoticed, it uses htmx's own header."""
    if request.header(b"hx-request") == "true":
        return Answer(204, None, [(b"hx-redirect", location.encode())])
    return Redirect(location, status)


def read(request: Request) -> Flash | None:
    name = cookie_name("trilha_flash", request)
    try:
        raw = base64.urlsafe_b64decode(request.cookie(name) or "")
        parts = msgspec.json.decode(raw, type=tuple[State, str, str, str, int])
    except (NotBase64, ValueError):
        return None
    state, text, undo, details, until = parts
    undo = undo if _OWN_PAGE.fullmatch(undo) and undo.endswith("/undo") else ""
    details = details if _OWN_PAGE.fullmatch(details) else ""
    return Flash(state, text[:_MAX_CHARACTERS], name, undo, details, until)
