"""CSV that a spreadsheet shows and does not run."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

_RUN = ("=", "+", "-", "@", "\t", "\r")


def csv_lines(rows: Iterable[Sequence[str]]) -> bytes:
    """Lines as RFC 4180 has them, in UTF-8. A cell that a spreadsheet would run gets a leading apostrophe."""
    text = StringIO()
    csv.writer(text).writerows([_shown(cell) for cell in row] for row in rows)
    return text.getvalue().encode()


def _shown(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_RUN) else cell
