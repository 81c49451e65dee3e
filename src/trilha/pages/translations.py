"""The languages of pages: which one a reader gets, and what is said in it.

Messages are English in the source, so English needs no catalogue. Those of another language are in
`pt_BR.po` of the room that says them, and are read when the process starts: nobody compiles anything.
"""

import io
from collections.abc import Iterable
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import get_args

from babel.core import negotiate_locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from trilha.pages.page import Locale

LOCALES: tuple[Locale, ...] = get_args(Locale)
DEFAULT: Locale = "pt-BR"
ROOMS = Path(__file__).parents[1]
CATALOGUE = "pt_BR.po"


def N_(message: str) -> str:  # noqa: N802 - the name that extraction looks for
    """Marks a message that is translated later, where it is shown."""
    return message


def NN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802 - the name that extraction looks for
    """Marks a message and its plural, which are translated where they are shown."""
    return one, many


def catalogues() -> list[Path]:
    return sorted(ROOMS.rglob(CATALOGUE))


@cache
def translations(locale: Locale) -> NullTranslations:
    if locale == "en":
        return NullTranslations()
    whole = Catalog(locale="pt_BR")
    for path in catalogues():
        for message in read_po(io.BytesIO(path.read_bytes()), locale="pt_BR"):
            if message.id:
                whole[message.id] = message
    compiled = io.BytesIO()
    write_mo(compiled, whole)
    compiled.seek(0)
    return GNUTranslations(compiled)


def choose_locale(*wishes: str | None, accepted: str | None = None) -> Locale:
    """The first wish that can be met: of the person, then of the tenant; then of Accept-Language."""
    for wish in (*wishes, *_ranked(accepted or "")):
        found = negotiate_locale([wish or ""], _ALIASES, sep="-")
        if found:
            return _ALIASES[found]
    return DEFAULT


_ALIASES: dict[str, Locale] = {
    **{locale: locale for locale in LOCALES},
    "pt": "pt-BR",
}


def _ranked(accepted: str) -> Iterable[str]:
    """The languages of Accept-Language that are wanted at all, best first (RFC 9110 section 12.5.4)."""
    ranked = []
    for place, part in enumerate(accepted[:500].split(",")):
        language, _, quality = part.partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if weight > 0:
            ranked.append((-weight, place, language.strip()))
    return [language for _, _, language in sorted(ranked)]
