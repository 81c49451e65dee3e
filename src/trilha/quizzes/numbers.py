"""Numbers as people write them: 0,5 and 0.5, 1.234,5 and 1,234.5."""

import math
import re
from collections.abc import Sequence

from trilha.core.types import Refused, Text

_PLAIN = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(\.\d{3})+(,\d*)?|(,\d{3})+(\.\d*)?)")
_BLANKS = re.compile(r"[\s\u00a0\u202f]+")
_LONGEST = 40


def readings(text: str) -> Sequence[float]:
    """Every number that the text may mean, the likelier one first; empty for what is no number.

    A separator that is alone is the decimal one, whichever it is; before three figures (1.234) it may
    separate thousands too.
    """
    text = _BLANKS.sub("", text.replace("\u2212", "-"))
    if len(text) > _LONGEST or not text.isascii():
        return ()
    found = []
    if _PLAIN.fullmatch(text):
        found.append(float(text.replace(",", ".")))
    if grouped := _GROUPED.fullmatch(text):
        thousands = "." if grouped[1] else ","
        found.append(float(text.replace(thousands, "").replace(",", ".")))
    return [each for each in found if math.isfinite(each)]


def parse(text: str) -> float | None:
    """None for what is no number."""
    found = readings(text)
    return found[0] if found else None


class Decimal(Text):
    """A number that is typed into a form. `number` is what it means."""

    __slots__ = ()
    codes = ("invalid_number",)

    @classmethod
    def normalise(cls, text: str) -> str:
        if (number := parse(text)) is None:
            raise Refused("invalid_number")
        return repr(number)

    @property
    def number(self) -> float:
        return float(self)
