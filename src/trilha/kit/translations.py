"""The languages of pages: chooses the reader's language and translates messages.

Messages in the source are English, so English needs no catalog. Those of another language are in
`pt_BR.po` of the feature, and are read when the process starts without compiling.
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

from trilha.kit.page import Locale

LOCALES: tuple[Locale, ...] = get_args(Locale)
DEFAULT: Locale = "pt-BR"
ROOMS = Path(__file__).parents[1]
CATALOGUE = "pt_BR.po"


def N_(message: str) -> str:  # noqa: N802 - the name that extraction looks for
    """Marks a message that is translated later, when it is displayed."""
    return message


def NN_(singular: str, many: str) -> tuple[str, str]:  # noqa: N802 - the name that extraction looks for
    """Marks a message and its plural, which are translated when they are displayed."""
    return singular, many


def NC_(context: str, message: str) -> str:  # noqa: N802 - the name that extraction looks for
    """Marks a message with a context, which is translated later.

    English says "expired" of everything; Portuguese says "vencido" of a certificate and "vencida" of an
    enrollment.
    """
    return f"{context}{_CONTEXT_END}{message}"


# separates context and message in compiled catalogs, as in GNU gettext
_CONTEXT_END = "\x04"


class _English(NullTranslations):
    def gettext(self, message: str) -> str:
        return message.rpartition(_CONTEXT_END)[2]


class _Portuguese(GNUTranslations):
    def gettext(self, message: str) -> str:
        return super().gettext(message).rpartition(_CONTEXT_END)[2]


def catalogues() -> list[Path]:
    return sorted(ROOMS.rglob(CATALOGUE))


@cache
def translations(locale: Locale) -> NullTranslations:
    if locale == "en":
        return _English()
    whole = Catalog(locale="pt_BR")
    for path in catalogues():
        for message in read_po(io.BytesIO(path.read_bytes()), locale="pt_BR"):
            if message.id:
                whole[message.id] = message
    compiled = io.BytesIO()
    write_mo(compiled, whole)
    compiled.seek(0)
    return _Portuguese(compiled)


def choose_locale(*wishes: str | None, accepted: str | None = None) -> Locale:
    """Chooses the first available language: the person's, the tenant's, then those of Accept-Language."""
    for wish in (*wishes, *_rank_languages(accepted or "")):
        found = negotiate_locale([wish or ""], _ALIASES, sep="-")
        if found:
            return _ALIASES[found]
    return DEFAULT


_ALIASES: dict[str, Locale] = {
    **{locale: locale for locale in LOCALES},
    "pt": "pt-BR",
}


def _rank_languages(accepted: str) -> Iterable[str]:
    """Yields the acceptable languages of Accept-Language, best first (RFC 9110 section 12.5.4)."""
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
