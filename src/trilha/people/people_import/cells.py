"""Converts the cells of a file to values. What cannot be converted stays as it is; validation refuses it
later.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from trilha.people.custom_fields.schema import CustomField
from trilha.people.users.words import search_text

_YES = {"sim", "s", "yes", "y", "true", "verdadeiro", "1", "x"}
_NO = {"nao", "n", "no", "false", "falso", "0", "-"}
_DAY_FIRST = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
# From the year 1927 on, so that a year alone is no day.
_SERIAL_DAY = re.compile(r"[1-9]\d{4}(\.\d{1,15})?", re.ASCII)
_EXCEL_EPOCH = date(1899, 12, 30)
_NUMBER = re.compile(r"[+-]?\d{1,20}([.,]\d{1,15})?", re.ASCII)


def with_zeros(digits: str) -> str:
    """Restores leading zeros, which spreadsheets remove from documents because they read them as numbers."""
    return digits.zfill(11) if digits.isdecimal() and 8 < len(digits) < 11 else digits


def iso_date(text: str) -> str:
    """Converts 31/12/1990, and the number 33238 that Excel stores for this day, to 1990-12-31."""
    if _SERIAL_DAY.fullmatch(text):
        return (_EXCEL_EPOCH + timedelta(days=int(float(text)))).isoformat()
    match = _DAY_FIRST.fullmatch(text)
    return f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}" if match else text.partition(" ")[0]


def yes_or_no(text: str) -> bool | str:
    word = search_text(text)
    return True if word in _YES else False if not word or word in _NO else text


def custom_value(text: str, field: CustomField | None) -> Any:
    """Converts the cell of a custom field, by the field's type."""
    if field is None or field.type == "text":
        return text
    if field.type == "date":
        return iso_date(text)
    return _number(text) if field.type == "number" else _choice(text, field.choices)


def custom_values(cells: Mapping[str, str], fields: Mapping[str, CustomField]) -> dict[str, Any]:
    return {key: custom_value(text, fields.get(key)) for key, text in cells.items()}


def _number(text: str) -> int | float | str:
    """Converts a number with a decimal comma or a decimal point, without thousands separators."""
    if not _NUMBER.fullmatch(text):
        return text
    digits = text.replace(",", ".")
    return float(digits) if "." in digits else int(digits)


def _choice(text: str, choices: Sequence[str]) -> str:
    """Returns the choice with this name, regardless of case and accents if only one is meant."""
    similar = [choice for choice in choices if search_text(choice) == search_text(text)]
    return similar[0] if text not in choices and len(similar) == 1 else text
