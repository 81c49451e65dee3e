"""Parquet: one row group for 65,536 rows, times in UTC, texts and numbers as they are."""

import csv
from collections.abc import Callable
from pathlib import Path

from arro3.core import DataType, Field, Schema
from arro3.io import read_csv, write_parquet

_ROWS_OF_GROUP = 1 << 16


def write(source: Path, target: Path, kinds: tuple[int, int], report: Callable[[int], None]) -> None:
    """Takes a few seconds for a million rows and reports no progress."""
    texts, numbers = kinds
    with source.open(encoding="utf-8", newline="") as text:
        names = next(csv.reader(text))
    types = [DataType.utf8()] * texts + [DataType.float64()] * numbers
    types += [DataType.timestamp("ms", tz="UTC")] * (len(names) - len(types))
    schema = Schema([Field(name, type, nullable=True) for name, type in zip(names, types, strict=True)])
    with source.open("rb") as file:
        rows = read_csv(file, schema, has_header=True, batch_size=8192)
        write_parquet(rows, target, compression="zstd(3)", max_row_group_size=_ROWS_OF_GROUP)
