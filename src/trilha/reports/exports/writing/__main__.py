"""`python -m trilha.reports.exports.writing xlsx|parquet SOURCE TARGET`: a file of CSV in another form.

It prints how many rows it has written, now and then. Memory does not grow with the rows.
"""

import sys
from importlib import import_module
from pathlib import Path

from trilha.core.priority import yield_process

_MODULES = {"xlsx": "workbook", "parquet": "parquet"}


def main() -> None:
    form, source, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    yield_process()
    writing = import_module(f"trilha.reports.exports.writing.{_MODULES[form]}")
    writing.write(source, target, lambda rows: print(rows, flush=True))  # noqa: T201 - how it is followed


main()
