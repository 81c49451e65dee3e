"""Reads e-mail addresses that people paste or upload."""

import re
from collections.abc import Iterable

from msgspec import Struct

from trilha.core.types import Email, InvalidValue
from trilha.people.people_import import columns, sheet
from trilha.people.people_import.sheet import Dialect

_BETWEEN = re.compile(r"[\s,;]+")
# `Ana Lima <ana@company.com>`, as mail programs copy it.
_IN_BRACKETS = re.compile(r"<([^<>\s@]+@[^<>\s@]+)>")


class Emails(Struct, frozen=True):
    """`good` are unique addresses in their stored form; `bad` are invalid ones, as they were sent."""

    good: list[str]
    bad: list[str]


def from_text(text: str) -> Emails:
    """Reads addresses separated by spaces, commas, semicolons or line ends."""
    lines = (_IN_BRACKETS.findall(line) or _BETWEEN.split(line) for line in re.split(r"[\r\n,;]+", text))
    return _read(each for line in lines for each in line)


def from_csv(raw: bytes, dialect: Dialect | None = None) -> Emails:
    """Reads the column of e-mail addresses. Without such a header, reads every cell with an @.

    Raises Invalid (file_too_large, file_not_a_table).
    """
    read = sheet.read(raw, dialect)
    mapping = columns.guess(read.headers)
    header = next((header for header, member in mapping.items() if member == "email"), None)
    if header is None:
        rows = [read.headers, *(row.cells for row in read.rows)]
        return _read(cell for row in rows for cell in row if "@" in cell)
    at = read.headers.index(header)
    return _read(row.cells[at] for row in read.rows if at < len(row.cells))


def together(*several: Emails) -> Emails:
    return Emails(
        list(dict.fromkeys(good for each in several for good in each.good)),
        list(dict.fromkeys(bad for each in several for bad in each.bad)),
    )


def _read(texts: Iterable[str]) -> Emails:
    good: dict[str, None] = {}
    bad: dict[str, None] = {}
    for text in filter(None, map(str.strip, texts)):
        try:
            good[Email.parse(text)] = None
        except InvalidValue:
            bad[text[:254]] = None
    return Emails(list(good), list(bad))
