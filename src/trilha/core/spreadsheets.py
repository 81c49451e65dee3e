"""CSV that is safe to open in a spreadsheet (RFC 4180)."""

import csv
import io
from collections.abc import Iterable, Sequence

# Excel, LibreOffice and Google Sheets take these for the beginning of a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: object) -> str:
    """Prefixes an apostrophe to a text that a spreadsheet would run as a formula. Numbers are none."""
    text = str(value)
    return f"'{text}" if not isinstance(value, int | float) and text.startswith(FORMULA_STARTS) else text


def csv_lines(rows: Iterable[Sequence[object]], separator: str = ",") -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=separator).writerows([safe_cell(value) for value in row] for row in rows)
    return file.getvalue()
