"""The pages inside of the frame: for whom they are written, and what they are sent with."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from trilha.core.web.request import Request
from trilha.pages import Page
from trilha.pages.preferences import page_of
from trilha.player.permissions import inner_policy

# Nothing but our own files; packages have a policy of their own, in `surface`.
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "font-src": "'self'",
    "media-src": "'self' blob:",
    "connect-src": "'self'",
    "frame-src": "'self'",
    "worker-src": "'self'",
    "form-action": "'none'",
    "base-uri": "'none'",
}

# Of every answer there.
HEADERS: Mapping[str, str] = {
    # The address has a token in it.
    "referrer-policy": "no-referrer",
    "permissions-policy": inner_policy(),
    "cross-origin-resource-policy": "same-origin",
}


class LaunchPage(Struct, frozen=True, kw_only=True):
    """`template` extends `player/shell.html`; `data` are what its script reads as JSON, beside what every
    script is given (`pages._common`); `values` are the template's; `words` are msgids (marked with `N_`)
    that its script says, by name. `policy` are changes of the content policy."""

    template: str
    data: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, str] = field(default_factory=dict)


def policy(application: str, changed: Mapping[str, str]) -> str:
    """As a header. `application` are the origins that may frame the page."""
    sources = _POLICY | {"frame-ancestors": application} | dict(changed)
    return "; ".join(f"{name} {value}" for name, value in sources.items())


def page_of_frame(request: Request, locale: str = "", theme: str = "", brand: str = "") -> Page:
    """In the language and the colors of the page around it, which says them; else the browser's own."""
    page = page_of(request)
    given = {"locale": locale, "theme": theme, "brand_url": brand and f"/brand/{brand}.css"}
    return replace(page, **{name: value for name, value in given.items() if value})
