"""XLSX: texts always as texts; numbers and times (UTC) typed. Rows beyond a sheet's limit continue on the
next sheet.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from xlsxwriter import Workbook

SHEET_ROWS = 1_048_576  # the first of these is the header
_WIDTHS = (30, 34, 40, 22)
_USUAL_WIDTH = 22
_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 - spreadsheets know no time zone
_DAY = timedelta(days=1)
_TELL_EVERY = 10_000
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def write(
    source: Path,
    target: Path,
    kinds: tuple[int, int],
    report: Callable[[int], None],
    sheet_rows: int = SHEET_ROWS,
) -> None:
    """`kinds` are the numbers of columns with texts, and with numbers."""
    with source.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        with Workbook(str(target), _OPTIONS | {"tmpdir": str(target.parent)}) as book:
            moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
            bold = book.add_format({"bold": True})
            _write(book, rows, header, report, (moment, bold), kinds, sheet_rows)


def _write(
    book: Any,
    rows: Iterator[list[str]],
    header: Sequence[str],
    report: Callable[[int], None],
    formats: tuple[Any, Any],
    kinds: tuple[int, int],
    sheet_rows: int,
) -> None:
    moment, bold = formats
    sheet, at = _begin_sheet(book, header, bold), 1
    for done, row in enumerate(rows, 1):
        if at == sheet_rows:
            sheet, at = _begin_sheet(book, header, bold), 1
        _write_row(sheet, at, row, kinds, moment)
        at += 1
        if done % _TELL_EVERY == 0:
            report(done)


def _begin_sheet(book: Any, header: Sequence[str], bold: Any) -> Any:
    sheet = book.add_worksheet()
    sheet.set_column(0, len(header) - 1, _USUAL_WIDTH)
    for column, width in enumerate(_WIDTHS):
        sheet.set_column(column, column, width)
    sheet.freeze_panes(1, 1)
    sheet.write_row(0, 0, header, bold)
    return sheet


def _write_row(sheet: Any, at: int, row: Sequence[str], kinds: tuple[int, int], moment: Any) -> None:
    texts, numbers = kinds
    for column, cell in enumerate(row):
        if column < texts:
            sheet.write_string(at, column, cell)
        elif not cell:
            continue
        elif column < texts + numbers:
            sheet.write_number(at, column, float(cell))
        else:
            # Spreadsheets count days.
            sheet.write_number(at, column, (datetime.fromisoformat(cell[:-1]) - _FIRST_DAY) / _DAY, moment)
