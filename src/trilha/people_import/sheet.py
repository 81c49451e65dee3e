"""A file of rows, as spreadsheets and HR systems write it: its encoding and separator are guessed."""

import codecs
import csv
import io
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from trilha.core.errors import invalid

MOST_BYTES = 20 << 20
MOST_ROWS = 100_000
MOST_COLUMNS = 500
MOST_CELLS = 1_500_000
_LONGEST_CELL = 1 << 17
_LONGEST_ROW = 1 << 20
_SAMPLE_CHARACTERS = 1 << 18
_SEPARATORS = ";,\t|"
_SAMPLE_LINES = 20


class Dialect(Struct, frozen=True):
    """`encoding` by Python's name for it."""

    encoding: str
    separator: str


class Row(Struct, frozen=True):
    """`line` is where it begins in the file, from 1."""

    line: int
    cells: list[str]


class Sheet(Struct, frozen=True):
    dialect: Dialect
    headers: list[str]
    rows: list[Row]


def read(raw: bytes, dialect: Dialect | None = None) -> Sheet:
    """The header and the rows that have anything in them.

    Raises Invalid (file_too_large, file_not_a_table).
    """
    if len(raw) > MOST_BYTES:
        raise invalid("file", "file_too_large")
    encoding = dialect.encoding if dialect else _encoding(raw)
    try:
        text = raw.decode(encoding)
        separator = dialect.separator if dialect else _separator(text)
        rows = list(_bounded(_rows(text, separator)))
    except (UnicodeError, csv.Error):
        raise invalid("file", "file_not_a_table") from None
    if len(rows) < 2 or not any(cell.strip() for cell in rows[0].cells):
        raise invalid("file", "file_not_a_table")
    headers = [cell.strip() for cell in rows[0].cells]
    return Sheet(Dialect(encoding, separator), headers, rows[1:])


class Sample(Struct, frozen=True):
    """The beginning of a file: its headers, and of each column the first cells that hold something."""

    headers: list[str]
    cells: list[list[str]]


def sample(raw: bytes, dialect: Dialect, rows: int = 20, most: int = 3) -> Sample:
    """What people recognise the columns by; `raw` is the beginning of the file. Empty where it is not of this
    dialect."""
    try:
        decoded = io.StringIO(raw.decode(dialect.encoding, errors="replace"), newline="")
        text = "".join(islice(decoded, 10 * rows))
        found = list(islice(_rows(text, dialect.separator), rows + 1))
    except (UnicodeError, csv.Error):
        return Sample([], [])
    headers = [cell.strip() for cell in found[0].cells] if found else []
    columns = [[row.cells[n].strip() for row in found[1:] if n < len(row.cells)] for n in range(len(headers))]
    return Sample(headers, [[cell for cell in column if cell][:most] for column in columns])


def _bounded(rows: Iterator[Row]) -> Iterator[Row]:
    """Raises Invalid (file_too_large) at the first row too much: a file may hold many more than fit."""
    cells = 0
    for number, row in enumerate(rows):
        cells += len(row.cells)
        if number > MOST_ROWS or len(row.cells) > MOST_COLUMNS or cells > MOST_CELLS:
            raise invalid("file", "file_too_large")
        yield row


class _Lines:
    """The lines of a text, as long as those of one row are of a usual length. Raises csv.Error."""

    def __init__(self, lines: io.StringIO) -> None:
        self._lines = lines
        self.row = 0  # characters, since a row was read

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.row += len(line)
            if self.row > _LONGEST_ROW:
                raise csv.Error("a row of such a length")
            yield line


def _rows(text: str, separator: str) -> Iterator[Row]:
    lines = io.StringIO(text, newline="")
    skipped = 1 if text[:4].lower() == "sep=" else 0  # a line that Excel reads
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
    # Of text in Western letters, UTF-16 has a zero in every other byte; which one tells the order.
    sample = raw[:2000]
    if sample.count(0) > len(sample) // 4:
        return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
    for encoding in ("utf-8", "cp1252"):
        try:
            raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"  # in which every byte is something


def _separator(text: str) -> str:
    """The one that divides the first lines into most columns, and the others into as many as the first."""
    lines = text[:_SAMPLE_CHARACTERS].splitlines()[: _SAMPLE_LINES + 1]
    if lines and lines[0].lower().startswith("sep="):
        given = lines[0][4:5]
        return given if given in _SEPARATORS and given else ";"

    def score(separator: str) -> tuple[int, int]:
        widths = [len(cells) for cells in csv.reader(lines, delimiter=separator) if cells]
        columns = widths[0] if widths else 1
        return (columns if columns > 1 else 0) and sum(width == columns for width in widths), columns

    return max(_SEPARATORS, key=score)
