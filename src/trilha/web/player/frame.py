"""The pages inside the frame: their language and colors, their headers, and their parts."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from trilha.core.web.request import Request
from trilha.kit import Page
from trilha.kit.preferences import page_of


class LaunchPage(Struct, frozen=True, kw_only=True):
    """The parts of a launch's page.

    `template` extends `player/shell.html` and gets `values`; its script reads `data` as JSON, beside
    `pages._common`. `words` are the script's msgids (marked with `N_`) by name. `policy` overrides parts of
    the content policy.
    """

    template: str
    data: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, str] = field(default_factory=dict)


def page_of_frame(request: Request, locale: str = "", theme: str = "", brand: str = "") -> Page:
    """Returns a page in the language and colors of the outer page, or by the browser's preferences."""
    page = page_of(request)
    preferences = {"locale": locale, "theme": theme, "brand_url": brand and f"/brand/{brand}.css"}
    return replace(page, **{name: value for name, value in preferences.items() if value})
