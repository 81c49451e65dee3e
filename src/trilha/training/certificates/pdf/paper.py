"""The finished contents of a certificate: final wording, clean texts and picture files.

A design only places them. It gets them as JSON, so that no text is ever parsed as markup or code.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

Design = Literal["classic", "modern"]
Orientation = Literal["landscape", "portrait"]
# Characters that change the direction of text, so that a name could look like another one.
_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x061C, 0x200E, 0x200F])
_LONG_WORD = re.compile(r"\S{41,}")
_BREAK = "\u200b"


class Colours(Struct, frozen=True):
    """`#rrggbb`."""

    primary: str
    accent: str


class Signatory(Struct, frozen=True):
    """A printed signatory. `picture` is the path of the signature's image in the sandbox."""

    name: str
    role: str
    picture: str | None


class Alternatives(Struct, frozen=True):
    """The alternative texts of pictures. A signatory's name follows `signature`."""

    qr: str
    signature: str


class Section(Struct, frozen=True):
    """A part of the record of a training: lines, each with a value at its end."""

    title: str
    lines: Sequence[tuple[str, str]]


class Paper(Struct, frozen=True, kw_only=True):
    """A certificate's contents. `facts` are names and values, `syllabus` titles and durations. `record` is
    what the law asks papers of a training to say, and `signing` who signs it by hand, with a line for each.
    `date` is year to second, in UTC.
    """

    design: Design
    orientation: Orientation
    language: str
    region: str | None
    colours: Colours
    logo: str | None
    company: str
    title: str
    intro: str
    name: str
    identity: str
    body: str
    course: str
    closing: str
    facts: Sequence[tuple[str, str]]
    regulation: str
    syllabus_title: str
    syllabus: Sequence[tuple[str, str]]
    signatories: Sequence[Signatory]
    record_title: str
    record: Sequence[Section]
    signing: Sequence[Signatory]
    issued: str
    verify: str
    url: str
    code: str
    evidence: str
    footer: str
    document_title: str
    date: tuple[int, int, int, int, int, int]
    alt: Alternatives


class Document(Struct, frozen=True, kw_only=True):
    """A document of texts, each with its paragraphs, and sections. `note` says which version it is."""

    language: str
    region: str | None
    title: str
    subject: str
    company: str
    note: str
    texts: Sequence[tuple[str, Sequence[str]]]
    sections: Sequence[Section]
    signing: Sequence[Signatory]
    date: tuple[int, int, int, int, int, int]


def clean(text: str) -> str:
    """Returns the text in NFC, without control characters, and with break opportunities in very long
    words.
    """
    plain = unicodedata.normalize("NFC", text).translate(_TURNING)
    shown = "".join(" " if unicodedata.category(each) in ("Cc", "Zl", "Zp") else each for each in plain)
    return _LONG_WORD.sub(lambda word: _break_word(word[0]), shown).strip()


def _break_word(word: str) -> str:
    return _BREAK.join(word[at : at + 20] for at in range(0, len(word), 20))
