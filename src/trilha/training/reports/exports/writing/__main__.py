"""Converts a CSV file: `python -m trilha.training.reports.exports.writing xlsx|parquet SOURCE TARGET`.

It prints the number of written rows from time to time. Memory does not grow with the rows.
"""

import sys
from importlib import import_module
from pathlib import Path

from trilha.core.priority import yield_process

_MODULES = {"xlsx": "workbook", "parquet": "parquet"}


def main() -> None:
    form, source, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    yield_process()
    writing = import_module(f"trilha.training.reports.exports.writing.{_MODULES[form]}")
    writing.write(source, target, lambda rows: print(rows, flush=True))  # noqa: T201 - how it is followed


main()
