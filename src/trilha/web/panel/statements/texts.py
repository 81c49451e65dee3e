"""Makes text of statements fit to be shown: one language, one line, no documents, no odd characters."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from urllib.parse import unquote

from trilha.core.types import InvalidValue
from trilha.people.users.documents import Cpf

_LONGEST = 120
# A language map may have thousands of languages. Beyond these, only the reader's is looked for.
_MAX_LANGUAGES = 50
_CPF = re.compile(r"(?<![\w.-])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\w-])", re.ASCII)


def shorten(text: str, longest: int = _LONGEST) -> str:
    """Returns at most `longest` characters in one line, with CPFs masked and without invisible characters."""
    cut = text[: 4 * longest]
    line = " ".join("".join(each if each.isprintable() else " " for each in cut).split())
    line = mask(line)
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def mask(text: str) -> str:
    """Masks the valid CPFs in a text."""
    return _CPF.sub(_mask_one, text)


def _mask_one(match: re.Match[str]) -> str:
    try:
        return Cpf.parse(match[0]).masked_text
    except InvalidValue:
        return match[0]


def find_text(texts: object, locale: str) -> str:
    """Returns the text of a language map in the reader's language, or nothing."""
    wanted = locale.lower()
    language = wanted.partition("-")[0]
    for tag, text in _list_texts(texts, locale, language):
        if tag.lower() == wanted and shorten(text):
            return text
    for tag, text in _list_texts(texts, locale, language):
        if tag.lower().partition("-")[0] == language and shorten(text):
            return text
    return ""


def find_any_text(texts: object, locale: str) -> str:
    """Returns the text of a language map in the reader's language, else in English, else the first."""
    chosen = find_text(texts, locale) or find_text(texts, "en")
    return chosen or next((text for _, text in _list_texts(texts) if shorten(text)), "")


def _list_texts(texts: object, *tags: str) -> Iterator[tuple[str, str]]:
    """Yields the texts of these languages, and then the first ones."""
    if isinstance(texts, Mapping):
        for tag in (*tags, *islice(texts, _MAX_LANGUAGES)):
            if isinstance(texts.get(tag), str):
                yield tag, texts[tag]


def humanize_iri(iri: str) -> str:
    """Returns the last part of an IRI in words: `did-well` of https://example.com/verbs/did-well."""
    parts = [part for part in re.split(r"[/#:?&=]", unquote(iri[:2048])) if part.strip(" .-_")]
    return shorten(re.sub(r"[-_+]+", " ", parts[-1]) if parts else iri, 80)
