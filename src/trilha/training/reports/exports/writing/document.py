"""PDF: the first columns in a table, ten further columns at a time, up to MAX_ROWS rows."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import typst

from trilha.training.certificates.designs import font_folders

MAX_ROWS = 2000
_LEADING = 4
_COLUMNS = 10
_SOURCE = """
#let bands = json(bytes(sys.inputs.bands))
#set page(paper: "a4", flipped: true, margin: 12mm, numbering: "1 / 1")
#set text(font: ("Inter", "Libertinus Serif", "Noto Sans CJK JP", "Noto Naskh Arabic"), size: 7pt)
#set table(stroke: 0.4pt + luma(200), inset: 3pt)
#for (number, band) in bands.enumerate() {
  if number > 0 { pagebreak() }
  table(
    columns: (1.6fr,) + (1fr,) * (band.head.len() - 1),
    table.header(..band.head.map(each => table.cell(fill: luma(235), strong(each)))),
    ..band.rows.flatten(),
  )
}
"""


def write(source: Path, target: Path, kinds: tuple[int, int], report: Callable[[int], None]) -> None:
    """All columns are written as texts."""
    with source.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        bands = list(_split(header, list(islice(rows, MAX_ROWS))))
    document = target.with_suffix(".typ")
    document.write_text(_SOURCE, encoding="utf-8")
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(each) for each in font_folders()])
    typst.compile(
        document,
        target,
        root=target.parent,
        font_paths=fonts,
        package_path=target.parent,
        package_cache_path=target.parent,
        sys_inputs={"bands": json.dumps(bands)},
    )


def _split(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[dict[str, object]]:
    """Splits the columns into bands that fit on a page. Each begins with the first column; the first band has
    all of the fixed ones.
    """
    others = range(_LEADING, len(header))
    places = [list(others[at : at + _COLUMNS]) for at in range(0, len(others), _COLUMNS)] or [[]]
    for number, columns in enumerate(places):
        fixed = [0, 2, 3] if number == 0 else [0]
        chosen = [*fixed, *columns]
        yield {
            "head": [header[each] for each in chosen],
            "rows": [[row[each] for each in chosen] for row in rows],
        }
