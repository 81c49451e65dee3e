"""Preferences of an anonymous reader, from cookies and from the browser."""

from urllib.parse import urlsplit

from msgspec import Struct

from trilha.core.web.answers import Answer, Redirect
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.kit.flash import cookie_name, read, set_cookie
from trilha.kit.page import Locale, Page, Theme
from trilha.kit.translations import choose_locale

_YEAR = 365 * 86_400
routes = Routes("Preferences", "Theme and language of a browser.")


class Preference(Struct, frozen=True):
    """`next` is the page to return to. `token` is sent by every form."""

    theme: Theme | None = None
    locale: Locale | None = None
    next: str = "/"
    csrf_token: str = ""


@routes.post("", access=PUBLIC, max_body=4096)
async def set_preference(request: Request, form: Preference) -> Answer:
    """Save a preference in this browser. It changes nothing else, so it needs no token."""
    return keep(request, form)


def keep(request: Request, form: Preference) -> Answer:
    """Saves the preference in a cookie and returns to the page."""
    answer = Redirect(own_address(form.next))
    for name, value in (("trilha_theme", form.theme), ("trilha_locale", form.locale)):
        if value:
            seconds = 0 if value == "auto" else _YEAR
            set_cookie(answer, cookie_name(name, request), value, seconds=seconds, secure=request.secure)
    return answer


def own_address(text: str) -> str:
    """Returns a path of this server, or its first page if the text could lead elsewhere."""
    parts = urlsplit(text) if text.isprintable() and text.isascii() else None
    if parts is None or parts.scheme or parts.netloc or not text.startswith("/"):
        return "/"
    return "/" if text.startswith(("//", "/\\")) or "\\" in text else text


def theme_of(request: Request) -> Theme:
    chosen = request.cookie(cookie_name("trilha_theme", request))
    return "dark" if chosen == "dark" else "light" if chosen == "light" else "auto"


def locale_of(request: Request, person: str | None = None, tenant: str | None = None) -> Locale:
    """Returns the person's language, else this browser's choice, else the tenant's, else one that the
    browser accepts.
    """
    chosen = request.cookie(cookie_name("trilha_locale", request))
    return choose_locale(person, chosen, tenant, accepted=request.header(b"accept-language"))


def page_of(request: Request) -> Page:
    """Builds an anonymous page: sign-in, public pages, errors."""
    return Page(
        locale=locale_of(request),
        theme=theme_of(request),
        path=request.full_path + (f"?{request.query}" if request.query else ""),
        flash=read(request),
        fragment=request.header(b"hx-request") == "true",
    )
