"""CSV that a spreadsheet opens without running anything (RFC 4180)."""

import csv
import io
from collections.abc import Iterable, Sequence

# What Excel, LibreOffice and Google Sheets take for the beginning of a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: object) -> str:
    """A leading apostrophe keeps a cell from being run."""
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def csv_lines(rows: Iterable[Sequence[object]], separator: str = ",") -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=separator).writerows([safe_cell(value) for value in row] for row in rows)
    return file.getvalue()
