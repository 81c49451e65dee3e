"""What was just done, told once on the page that a form leads to.

It travels in a cookie that only this host can write (`__Host-`), so it needs no signature; it is shown as
text. It lasts a minute: who does not get there is not told later, beside something else.
"""

import base64
from binascii import Error as NotBase64

import msgspec

from trilha.core.web.answers import Answer, Redirect
from trilha.core.web.request import Request
from trilha.pages.page import Flash, State

_SECONDS = 60
_MOST = 300  # characters


def cookie_name(name: str, request: Request) -> str:
    """With the prefix that binds a cookie to this host, which browsers take over TLS alone."""
    return f"__Host-{name}" if request.secure else name


def set_cookie(
    answer: Answer, name: str, value: str, *, seconds: int, secure: bool, readable: bool = False
) -> None:
    parts = [f"{name}={value}", "Path=/", f"Max-Age={seconds}", "SameSite=Lax"]
    parts += ["Secure"] if secure else []
    parts += [] if readable else ["HttpOnly"]
    answer.headers = [*answer.headers, (b"set-cookie", "; ".join(parts).encode())]


def redirect(request: Request, location: str, state: State, text: str) -> Answer:
    """Leads on after a form, and says there what was done."""
    answer = lead(request, location)
    told = base64.urlsafe_b64encode(msgspec.json.encode([state, text[:_MOST]])).decode()
    name = cookie_name("trilha_flash", request)
    set_cookie(answer, name, told, seconds=_SECONDS, secure=request.secure)
    return answer


def lead(request: Request, location: str, status: int = 303) -> Answer:
    """To another page; htmx, which would follow a 303 unseen, by its own header."""
    if request.header(b"hx-request") == "true":
        return Answer(204, None, [(b"hx-redirect", location.encode())])
    return Redirect(location, status)


def read(request: Request) -> Flash | None:
    name = cookie_name("trilha_flash", request)
    try:
        raw = base64.urlsafe_b64decode(request.cookie(name) or "")
        state, text = msgspec.json.decode(raw, type=tuple[State, str])
    except (NotBase64, ValueError):
        return None
    return Flash(state, text[:_MOST], name)
