"""Renders templates to HTML.

A template is named after its feature: `panel/people/list.html` is in `src/trilha/web/panel/people`. Shells
are `shells/…`. Every component is in `ui`, without an import: `{{ ui.badge("ok", _("Active")) }}`.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined

from trilha.core.web.answers import Html
from trilha.kit import assets, covers, formats
from trilha.kit.flash import set_cookie
from trilha.kit.forms import Form
from trilha.kit.icons import icon
from trilha.kit.page import MenuItem, MenuSection, Page
from trilha.kit.translations import translations

_HERE = Path(__file__).parent
_ROOMS = _HERE.parent
# Macros are called without a context, but depend on the page being rendered.
_PAGE: ContextVar[Page] = ContextVar("page")
_LONG_SECTION = 5
# The labels of the page's fields, in order, for the summary of errors.
_LABELS: ContextVar[dict[str, str]] = ContextVar("labels")
_FORMATS = (
    *(formats.moment, formats.moment_text, formats.day, formats.zone_name, formats.ago, formats.span),
    *(formats.hours, formats.number, formats.decimal, formats.numeral, formats.percent, formats.size),
    *(formats.days_until, formats.is_past, formats.month_day, formats.weekday, formats.join_words),
    *(formats.clock, formats.period, formats.month_name, formats.day_name, formats.short_weekday),
    formats.lang_attribute,
)
# htmx evaluates no text as code, stores no pages in the browser, and displays refusals where they belong.
HTMX = {
    "includeIndicatorStyles": False,
    "allowEval": False,
    "allowScriptTags": False,
    "attributesToSettle": ["class", "width", "height"],
    "disableInheritance": True,
    "historyCacheSize": 0,
    "refreshOnHistoryMiss": True,
    "historyRestoreAsHxRequest": False,
    "responseHandling": [
        {"code": "204", "swap": False},
        {"code": "[23]..", "swap": True},
        {"code": "409|422", "swap": True},
        {"code": "[45]..", "swap": True, "error": True, "target": "#flash", "swapOverride": "innerHTML"},
    ],
}


class Components:
    """Every macro of `ui/`, by name."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no component {name}: see kit/ui")


def render(template: str, page: Page, *, status: int = 200, **values: Any) -> Html:
    """Renders a response. A flash that the page displays is deleted from the browser, unless its action can
    be undone.
    """
    answer = Html(text(template, page, **values), status)
    if page.flash and page.flash.cookie and not page.flash.undo:
        secure = page.flash.cookie.startswith("__Host-")
        set_cookie(answer, page.flash.cookie, "", seconds=0, secure=secure)
    return answer


def text(template: str, page: Page, **values: Any) -> str:
    drawn, labels = _PAGE.set(page), _LABELS.set({})
    try:
        return environment().get_template(template).render(page=page, **values)
    finally:
        _PAGE.reset(drawn)
        _LABELS.reset(labels)


def translate(page: Page, message: str, **values: object) -> str:
    """Translates a message to the reader's language, as plain text."""
    return translations(page.locale).gettext(message) % values


@cache
def environment() -> Environment:
    made = Environment(
        loader=PrefixLoader(_loaders()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
    )
    made.install_gettext_callables(  # type: ignore[attr-defined]
        lambda message: translations(_PAGE.get().locale).gettext(message),
        lambda *message: translations(_PAGE.get().locale).ngettext(*message),
        pgettext=lambda *message: translations(_PAGE.get().locale).pgettext(*message),
        npgettext=lambda *message: translations(_PAGE.get().locale).npgettext(*message),
        newstyle=True,
    )
    made.policies["ext.i18n.trimmed"] = True
    components = Components()
    made.globals |= {
        "ui": components,
        "icon": icon,
        "draw_cover": covers.draw,
        "asset": assets.url,
        "the_page": _PAGE.get,
        "note_label": _note_label,
        "problem_labels": _problem_labels,
        "nice_top": nice_top,
        "htmx_config": json.dumps(HTMX),
        **{each.__name__: _of_page(each) for each in _FORMATS},
    }
    made.filters["sections"] = _sections
    _fill(components, made)
    return made


def _loaders() -> dict[str, BaseLoader]:
    folders = [*_ROOMS.iterdir(), *_ROOMS.glob("*/*")]
    rooms = {each.name: each for each in folders if (each / "__init__.py").exists()}
    rooms |= {"shells": _HERE / "shells", "ui": _HERE / "ui"} | EXTRA
    return {name: FileSystemLoader(folder) for name, folder in rooms.items()}


# Template folders outside of the package, by prefix: the gallery of the tests.
EXTRA: dict[str, Path] = {}


def _fill(components: Components, made: Environment) -> None:
    for path in sorted((_HERE / "ui").glob("*.html")):
        module = made.get_template(f"ui/{path.name}").module
        for name, macro in vars(module).items():
            if name.startswith("_") or not callable(macro):
                continue
            if name in vars(components):
                raise TypeError(f"two components are called {name}")
            setattr(components, name, macro)


def _of_page(format: Callable[..., Any]) -> Callable[..., Any]:
    def format_value(*values: Any, **options: Any) -> Any:
        return format(_PAGE.get(), *values, **options)

    return format_value


def _note_label(name: str, label: str) -> str:
    _LABELS.get()[name] = label
    return ""


def _problem_labels(form: Form) -> Iterator[tuple[str, str]]:
    """Yields the fields with a problem and their labels, in the order of the page."""
    labels = _LABELS.get()
    yield from ((name, label) for name, label in labels.items() if name in form.problems)
    yield from ((name, "") for name in form.problems if name not in labels)


def _sections(menu: Iterable[MenuItem]) -> list[MenuSection]:
    """Groups the items of a menu.

    On a page of a folded section, the long sections are closed instead, so that the menu fits a small screen.
    """
    sections = [(label, list(items)) for label, items in groupby(menu, attrgetter("section"))]
    crowded = any(item.folded and item.current for _, items in sections for item in items)
    return [
        MenuSection(
            label,
            items,
            any(item.current for item in items)
            or not (items[0].folded or (crowded and len(items) > _LONG_SECTION)),
        )
        for label, items in sections
    ]


def nice_top(limit: float) -> int:
    """Returns the top of a scale whose half is a whole number too: 2, 4, 10, 12, 16, 20, 30, 40 …"""
    unit: int = 10 ** (len(str(int(limit))) - 1)
    tops = (unit * tenths // 10 for tenths in (10, 12, 16, 20, 30, 40, 60, 80, 100))
    return next(top for top in tops if top >= max(limit, 2) and top % 2 == 0)
