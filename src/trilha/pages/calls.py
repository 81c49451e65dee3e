"""How templates call what they use: a list of a hundred rows makes some four thousand calls.

Jinja asks of everything that is called whether it wants the context, and has three functions look for each
message. That is a third of the time of a long page.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from jinja2.runtime import Context, Macro
from markupsafe import Markup

from trilha.pages.page import Locale
from trilha.pages.translations import translations

_PLAIN = "trilha_plain"


def plain(called: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function of ours: it wants nothing of the template."""
    setattr(called, _PLAIN, True)
    return called


class CallingContext(Context):
    """Calls macros and plain functions at once.

    A macro that is called so escapes as the whole environment does, and no template does otherwise.
    """

    def call(self, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        if type(called) is Macro or hasattr(called, _PLAIN):
            kwargs.pop("_loop_vars", None)
            kwargs.pop("_block_vars", None)
            return called(*args, **kwargs)
        return super().call(called, *args, **kwargs)


def gettext_of(locale: Callable[[], Locale]) -> Callable[..., Markup]:
    """The `_` of templates, in the language of the page that is being drawn."""

    @plain
    def gettext(message: str, **variables: Any) -> Markup:
        said = _said(locale(), message)
        return said % variables if "%" in message else said

    return gettext


@lru_cache(8192)
def _said(locale: Locale, message: str) -> Markup:
    return Markup(translations(locale).gettext(message))  # noqa: S704 - a message of ours
