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
_TEXTS, _NUMBERS = 4, 2
_WIDTHS = (30, 34, 40, 14, 10, 10, 22, 22, 22, 22)
_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 - spreadsheets know no time zone
_DAY = timedelta(days=1)
_TELL_EVERY = 10_000
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def write(source: Path, target: Path, report: Callable[[int], None], sheet_rows: int = SHEET_ROWS) -> None:
    with source.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        with Workbook(str(target), _OPTIONS | {"tmpdir": str(target.parent)}) as book:
            moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
            bold = book.add_format({"bold": True})
            _write(book, rows, header, report, (moment, bold), sheet_rows)


def _write(
    book: Any,
    rows: Iterator[list[str]],
    header: Sequence[str],
    report: Callable[[int], None],
    formats: tuple[Any, Any],
    sheet_rows: int,
) -> None:
    moment, bold = formats
    sheet, at = _begin_sheet(book, header, bold), 1
    for done, row in enumerate(rows, 1):
        if at == sheet_rows:
            sheet, at = _begin_sheet(book, header, bold), 1
        _write_row(sheet, at, row, moment)
        at += 1
        if done % _TELL_EVERY == 0:
            report(done)


def _begin_sheet(book: Any, header: Sequence[str], bold: Any) -> Any:
    sheet = book.add_worksheet()
    for column, width in enumerate(_WIDTHS):
        sheet.set_column(column, column, width)
    sheet.freeze_panes(1, 0)
    sheet.write_row(0, 0, header, bold)
    return sheet


def _write_row(sheet: Any, at: int, row: Sequence[str], moment: Any) -> None:
    for column, cell in enumerate(row):
        if column < _TEXTS:
            sheet.write_string(at, column, cell)
        elif not cell:
            continue
        elif column < _TEXTS + _NUMBERS:
            sheet.write_number(at, column, float(cell))
        else:
            # Spreadsheets count days.
            sheet.write_number(at, column, (datetime.fromisoformat(cell[:-1]) - _FIRST_DAY) / _DAY, moment)
