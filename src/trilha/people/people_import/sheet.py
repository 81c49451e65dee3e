"""Reads CSV files as spreadsheets and HR systems write them, guessing the encoding and the separator."""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct

from trilha.core.errors import invalid

MAX_BYTES = 20 << 20
MAX_ROWS = 100_000
MAX_COLUMNS = 500
MAX_CELLS = 1_500_000
_LONGEST_CELL = 1 << 17
_LONGEST_ROW = 1 << 20
_SAMPLE_CHARACTERS = 1 << 18
_SEPARATORS = ";,\t|"
_SAMPLE_LINES = 20
# So many rows above the header may be titles.
_TITLE_ROWS = 10


class Dialect(Struct, frozen=True):
    """`encoding` is Python's name for it. `source` is what the file was before it became CSV. Of a workbook,
    `number_columns` are the columns with numbers, which have lost the zeros at their beginning.
    """

    encoding: str
    separator: str
    source: Literal["csv", "workbook"] = "csv"
    number_columns: Sequence[int] = ()


# How a converted workbook is written.
WORKBOOK = Dialect("utf-8", ";", "workbook")


class Row(Struct, frozen=True):
    """`line` is the row's first line in the file, counted from 1."""

    line: int
    cells: list[str]


class Sheet(Struct, frozen=True):
    dialect: Dialect
    headers: list[str]
    rows: list[Row]


def read(raw: bytes, dialect: Dialect | None = None) -> Sheet:
    """Returns the header and all rows that are not empty.

    Raises Invalid (file_too_large, file_not_a_table).
    """
    if len(raw) > MAX_BYTES:
        raise invalid("file", "file_too_large")
    encoding = dialect.encoding if dialect else _encoding(raw)
    try:
        text = raw.decode(encoding)
        separator = dialect.separator if dialect else _separator(text)
        rows = _drop_titles(list(_limit_rows(_rows(text, separator))))
    except (UnicodeError, csv.Error):
        raise invalid("file", "file_not_a_table") from None
    if len(rows) < 2 or not any(cell.strip() for cell in rows[0].cells):
        raise invalid("file", "file_not_a_table")
    headers = [cell.strip() for cell in rows[0].cells]
    return Sheet(dialect or Dialect(encoding, separator), headers, rows[1:])


class Sample(Struct, frozen=True):
    """The beginning of a file: its headers, and the first non-empty cells of each column."""

    headers: list[str]
    cells: list[list[str]]


def sample(raw: bytes, dialect: Dialect, rows: int = 20, max_cells: int = 3) -> Sample:
    """Returns sample cells, by which people recognize the columns. `raw` is the beginning of the file.

    The sample is empty if the file cannot be read with this dialect.
    """
    try:
        decoded = io.StringIO(raw.decode(dialect.encoding, errors="replace"), newline="")
        text = "".join(islice(decoded, 10 * rows))
        table = _drop_titles(list(islice(_rows(text, dialect.separator), rows + _TITLE_ROWS)))[: rows + 1]
    except (UnicodeError, csv.Error):
        return Sample([], [])
    headers = [cell.strip() for cell in table[0].cells] if table else []
    columns = [[row.cells[n].strip() for row in table[1:] if n < len(row.cells)] for n in range(len(headers))]
    return Sample(headers, [[cell for cell in column if cell][:max_cells] for column in columns])


def _limit_rows(rows: Iterator[Row]) -> Iterator[Row]:
    """Raises Invalid (file_too_large) at the first row beyond a limit, before the rest is parsed."""
    cells = 0
    for number, row in enumerate(rows):
        cells += len(row.cells)
        if number > MAX_ROWS or len(row.cells) > MAX_COLUMNS or cells > MAX_CELLS:
            raise invalid("file", "file_too_large")
        yield row


def _drop_titles(rows: list[Row]) -> list[Row]:
    """Drops titles above the header: rows with a single cell before two rows with several."""
    several = [sum(bool(cell.strip()) for cell in row.cells) > 1 for row in rows[: _TITLE_ROWS + 1]]
    first = next((n for n, is_table in enumerate(several) if is_table), 0)
    return rows[first:] if several[first : first + 2] == [True, True] else rows


class _Lines:
    """Yields the lines of a text. Raises csv.Error if one row is too long."""

    def __init__(self, lines: io.StringIO) -> None:
        self._lines = lines
        self.row = 0  # characters read since the last complete row

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.row += len(line)
            if self.row > _LONGEST_ROW:
                raise csv.Error("The row is too long.")
            yield line


def _rows(text: str, separator: str) -> Iterator[Row]:
    lines = io.StringIO(text, newline="")
    skipped = 1 if text[:4].lower() == "sep=" else 0  # a hint for Excel, not a row
    for _ in range(skipped):
        lines.readline()
    csv.field_size_limit(_LONGEST_CELL)
    read = _Lines(lines)
    reader = csv.reader(read, delimiter=separator)
    line = skipped + 1
    for cells in reader:
        read.row = 0
        if any(cell.strip() for cell in cells):
            yield Row(line, cells)
        line = skipped + reader.line_num + 1


def _encoding(raw: bytes) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if raw.startswith(mark):
            return encoding
    # UTF-16 text in Latin letters has a zero in every other byte; its position shows the byte order.
    sample = raw[:2000]
    if sample.count(0) > len(sample) // 4:
        return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
    for encoding in ("utf-8", "cp1252"):
        try:
            raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"  # Latin-1 decodes every byte.


def _separator(text: str) -> str:
    """Returns the separator that splits the first line into the most columns, and the others into as many.
    Lines that it does not split, such as titles, do not count.
    """
    lines = text[:_SAMPLE_CHARACTERS].splitlines()[: _SAMPLE_LINES + 1]
    if lines and lines[0].lower().startswith("sep="):
        declared = lines[0][4:5]
        return declared if declared in _SEPARATORS and declared else ";"

    def score(separator: str) -> tuple[int, int]:
        widths = [len(cells) for cells in csv.reader(lines, delimiter=separator) if cells]
        columns = next((width for width in widths if width > 1), 1)
        return (columns if columns > 1 else 0) and sum(width == columns for width in widths), columns

    return max(_SEPARATORS, key=score)
