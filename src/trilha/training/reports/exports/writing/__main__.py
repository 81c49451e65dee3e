"""Converts a CSV file.

Usage: `python -m trilha.training.reports.exports.writing xlsx|parquet|pdf SOURCE TARGET TEXTS NUMBERS`

The first columns are TEXTS texts, then come NUMBERS numbers, and the others are times. It prints the number
of written rows from time to time. Memory does not grow with the rows, except for PDF, which is bounded.
"""

import sys
from importlib import import_module
from pathlib import Path

from trilha.core.priority import yield_process

_MODULES = {"xlsx": "workbook", "parquet": "parquet", "pdf": "document"}


def main() -> None:
    form, source, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    yield_process()
    writing = import_module(f"trilha.training.reports.exports.writing.{_MODULES[form]}")
    kinds = int(sys.argv[4]), int(sys.argv[5])
    writing.write(source, target, kinds, lambda rows: print(rows, flush=True))  # noqa: T201 - how it is followed


main()
