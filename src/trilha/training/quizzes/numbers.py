"""Parses numbers as people write them: 0,5 and 0.5, 1.234,5 and 1,234.5."""

import math
import re
from collections.abc import Sequence

from trilha.core.types import InvalidValue, Text

_PLAIN = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)")
_GROUPED_NUMBER = re.compile(r"[+-]?\d{1,3}(?:(\.\d{3})+(,\d*)?|(,\d{3})+(\.\d*)?)")
_BLANKS = re.compile(r"[\s\u00a0\u202f]+")
_LONGEST = 40


def readings(text: str) -> Sequence[float]:
    """Returns every number that the text may mean, the most likely first; empty if it is no number.

    A single separator is the decimal one; before exactly three digits (1.234) it may also separate thousands.
    """
    text = _BLANKS.sub("", text.replace("\u2212", "-"))
    if len(text) > _LONGEST or not text.isascii():
        return ()
    found = []
    if _PLAIN.fullmatch(text):
        found.append(float(text.replace(",", ".")))
    if grouped := _GROUPED_NUMBER.fullmatch(text):
        thousands = "." if grouped[1] else ","
        found.append(float(text.replace(thousands, "").replace(",", ".")))
    return [each for each in found if math.isfinite(each)]


def parse(text: str) -> float | None:
    """Returns None if the text is no number."""
    found = readings(text)
    return found[0] if found else None


class Decimal(Text):
    """A number typed into a form. `number` is its value."""

    __slots__ = ()
    codes = ("invalid_number",)

    @classmethod
    def normalise(cls, text: str) -> str:
        if (number := parse(text)) is None:
            raise InvalidValue("invalid_number")
        return repr(number)

    @property
    def number(self) -> float:
        return float(self)
