"""Makes the answers that packages report readable. No I/O."""

import re

_URN = re.compile(r"^urn:[^:]+:", re.IGNORECASE)
_CODES = ("choice", "likert", "sequencing", "matching", "performance")


def read_answer(type: str, text: str) -> str:
    """Returns an answer or a pattern as people read it: identifiers become words.

    A package knows its choices by identifiers such as `b` or `urn:pkg:freio_motor`.
    """
    if type not in _CODES:
        return text
    return ", ".join(_read_code(part) for part in text.split(", "))


def _read_code(code: str) -> str:
    if " → " in code:
        return " → ".join(_read_code(part) for part in code.split(" → "))
    word = _URN.sub("", code.strip()).replace("_", " ").strip() or code
    return word.upper() if len(word) == 1 else word
