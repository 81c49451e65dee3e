"""Makes text of statements fit to be shown: one language, one line, no documents, no odd characters."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

from trilha.core.types import InvalidValue
from trilha.people.users.documents import Cpf

_LONGEST = 120
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
    for tag, text in _list_texts(texts):
        if tag.lower() == locale.lower():
            return text
    language = locale.lower().partition("-")[0]
    for tag, text in _list_texts(texts):
        if tag.lower().partition("-")[0] == language:
            return text
    return ""


def find_any_text(texts: object, locale: str) -> str:
    """Returns the text of a language map in the reader's language, else in English, else the first."""
    candidates = (find_text(texts, locale), find_text(texts, "en"), *(each for _, each in _list_texts(texts)))
    return next((each for each in candidates if each), "")


def _list_texts(texts: object) -> list[tuple[str, str]]:
    if not isinstance(texts, Mapping):
        return []
    return [(tag, text) for tag, text in texts.items() if isinstance(text, str) and shorten(text)]


def humanize_iri(iri: str) -> str:
    """Returns the last part of an IRI in words: `did-well` of https://example.com/verbs/did-well."""
    parts = [part for part in re.split(r"[/#:?&=]", unquote(iri[:2048])) if part.strip(" .-_")]
    return shorten(re.sub(r"[-_+]+", " ", parts[-1]) if parts else iri, 80)
