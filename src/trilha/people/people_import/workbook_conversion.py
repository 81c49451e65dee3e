"""Converts workbooks on standard input to CSV, in a limited process of its own."""

import csv
import io
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any

import msgspec
from python_calamine import CalamineSheet, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from trilha.core.sandbox.serving import serve
from trilha.people.people_import.sheet import MAX_BYTES, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, WORKBOOK
from trilha.people.people_import.workbooks import OLD_FORMAT, WorkbookReadResult

# What a workbook unpacks to, according to its directory. Beyond it, the memory limit ends the process.
_MAX_UNPACKED = 512 << 20
_MAX_PARTS = 2000
_MAX_SHEETS = 50
_MAX_MERGED_CELLS = 20_000
# Excel's own limit.
_LONGEST_CELL = 32_767
_LARGEST_INTEGER = 1e15
# The part of an encrypted workbook that has its content.
_ENCRYPTED_PART = "EncryptedPackage".encode("utf-16-le")


class TooLarge(Exception):
    """The sheet has too many rows, columns or bytes."""


class NeedsPassword(Exception):
    """The workbook opens with a password only."""


def convert(raw: bytes) -> WorkbookReadResult:
    """Returns the first visible sheet with a cell as CSV. Raises TooLarge, NeedsPassword, PasswordError, and
    CalamineError or ValueError for what is no workbook.
    """
    if raw.startswith(OLD_FORMAT):
        if _ENCRYPTED_PART in raw:
            raise NeedsPassword
    else:
        _check_directory(raw)
    book = CalamineWorkbook.from_filelike(io.BytesIO(raw))
    return _to_csv(_find_sheet(book))


def _check_directory(raw: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            parts = archive.infolist()
    except zipfile.BadZipFile as error:
        raise ValueError("a damaged archive") from error
    if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > _MAX_UNPACKED:
        raise TooLarge


def _find_sheet(book: CalamineWorkbook) -> CalamineSheet:
    """Returns the first sheet that has a cell; hidden sheets only if all others are empty."""
    sheets = [each for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet][:_MAX_SHEETS]
    visible = SheetVisibleEnum.Visible
    for metadata in sorted(sheets, key=lambda each: each.visible != visible):  # the order stays otherwise
        sheet = book.get_sheet_by_name(metadata.name)
        if sheet.start is not None:
            return sheet
    raise ValueError("no sheet has a cell")


def _to_csv(sheet: CalamineSheet) -> WorkbookReadResult:
    """Converts a sheet. Empty rows stay, so that the lines of problems are those of the sheet."""
    if sheet.total_height > 2 * MAX_ROWS or sheet.width > MAX_COLUMNS:
        raise TooLarge
    text = io.StringIO()
    writer = csv.writer(text, delimiter=WORKBOOK.separator)
    numbers: set[int] = set()
    filled = cells = 0
    for row in _fill_merged(sheet):
        texts = [_read_text(value) for value in row]
        while texts and not texts[-1]:
            texts.pop()
        numbers.update(place for place, value in enumerate(row) if type(value) in (int, float))
        filled += bool(texts)
        cells += len(texts)
        if filled > MAX_ROWS + 1 or cells > MAX_CELLS or text.tell() > MAX_BYTES:
            raise TooLarge
        writer.writerow(texts)
    written = text.getvalue().encode()
    if len(written) > MAX_BYTES:
        raise TooLarge
    return WorkbookReadResult(csv=written, number_columns=sorted(numbers))


def _fill_merged(sheet: CalamineSheet) -> Iterator[list[Any]]:
    """Yields the rows of a sheet. Cells that are merged over several rows count for each of them, unless the
    row is empty otherwise.
    """
    first_row, first_column = sheet.start or (0, 0)
    begins: dict[int, list[tuple[int, int]]] = {}
    for (top, left), (bottom, _) in (sheet.merged_cell_ranges or ())[:_MAX_MERGED_CELLS]:
        if bottom > top and 0 <= left - first_column < sheet.width:
            begins.setdefault(top, []).append((left - first_column, bottom))
    open_cells: dict[int, tuple[int, Any]] = {}
    for number, row in enumerate(sheet.iter_rows()):
        if number >= first_row and open_cells and any(value != "" for value in row):
            _repeat(row, number, open_cells)
        for place, bottom in begins.get(number, ()):
            open_cells[place] = (bottom, row[place])
        yield row


def _repeat(row: list[Any], number: int, open_cells: dict[int, tuple[int, Any]]) -> None:
    for place, (bottom, value) in list(open_cells.items()):
        if bottom < number:
            del open_cells[place]
        elif row[place] == "":
            row[place] = value


def _read_text(value: object) -> str:
    """Returns a cell as the import reads it: dates as 2026-11-30, whole numbers without a point. Raises
    TooLarge.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _LARGEST_INTEGER else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time().isoformat() == "00:00:00" else str(value)
    if isinstance(value, date):
        return value.isoformat()
    text = str(value)
    if len(text) > _LONGEST_CELL:
        raise TooLarge
    return text.replace("\r", " ").replace("\n", " ").strip()


def make_answer() -> Callable[[bytes], bytes]:
    def answer(message: bytes) -> bytes:
        return msgspec.msgpack.encode(_read(message))

    return answer


def _read(message: bytes) -> WorkbookReadResult:
    try:
        return convert(message)
    except TooLarge:
        return WorkbookReadResult(refused="file_too_large")
    except (NeedsPassword, PasswordError):
        return WorkbookReadResult(refused="file_encrypted")
    except MemoryError:
        raise
    except BaseException:  # The library is in Rust, and its panics are not Exceptions.
        return WorkbookReadResult(refused="file_not_a_table")


if __name__ == "__main__":
    serve(make_answer)
