"""How somebody likes pages who is not known: by cookies and by what the browser says."""

from urllib.parse import urlsplit

from msgspec import Struct

from trilha.core.web.answers import Answer, Redirect
from trilha.core.web.callers import PUBLIC
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.pages.flash import cookie_name, read, set_cookie
from trilha.pages.page import Locale, Page, Theme
from trilha.pages.translations import choose_locale

_YEAR = 365 * 86_400
routes = Routes("Preferences", "Theme and language of a browser.")


class Preference(Struct, frozen=True):
    """`next` is the page that the switch was on. The token is what every form brings along."""

    theme: Theme | None = None
    locale: Locale | None = None
    next: str = "/"
    csrf_token: str = ""


@routes.post("", access=PUBLIC, max_body=4096)
async def set_preference(request: Request, form: Preference) -> Answer:
    """Keep a choice in this browser. It changes nothing else, so it asks for no token."""
    return keep(request, form)


def keep(request: Request, form: Preference) -> Answer:
    """In the browser, and back to where the choice was made."""
    answer = Redirect(own_address(form.next))
    for name, value in (("trilha_theme", form.theme), ("trilha_locale", form.locale)):
        if value:
            seconds = 0 if value == "auto" else _YEAR
            set_cookie(answer, cookie_name(name, request), value, seconds=seconds, secure=request.secure)
    return answer


def own_address(text: str) -> str:
    """A path of this server; its first page for anything that might lead elsewhere."""
    parts = urlsplit(text) if text.isprintable() and text.isascii() else None
    if parts is None or parts.scheme or parts.netloc or not text.startswith("/"):
        return "/"
    return "/" if text.startswith(("//", "/\\")) or "\\" in text else text


def theme_of(request: Request) -> Theme:
    chosen = request.cookie(cookie_name("trilha_theme", request))
    return "dark" if chosen == "dark" else "light" if chosen == "light" else "auto"


def locale_of(request: Request, person: str | None = None, tenant: str | None = None) -> Locale:
    """Of the person; else what this browser chose; else the tenant's; else what the browser accepts."""
    chosen = request.cookie(cookie_name("trilha_locale", request))
    return choose_locale(person, chosen, tenant, accepted=request.header(b"accept-language"))


def page_of(request: Request) -> Page:
    """For nobody in particular: sign-in, public pages, failures."""
    return Page(
        locale=locale_of(request),
        theme=theme_of(request),
        path=request.full_path + (f"?{request.query}" if request.query else ""),
        flash=read(request),
        fragment=request.header(b"hx-request") == "true",
    )
