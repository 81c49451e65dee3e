"""Writes and reads archived rows as Parquet. The same rows become the same bytes."""

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from arro3.core import Array, DataType, Table
from arro3.io import read_parquet, write_parquet

from trilha.core.types import Timestamp, to_json
from trilha.platform.retention.logs import ArchivedLog, ColumnType

_MOMENT = DataType.timestamp("ms", tz="UTC")


def write(log: ArchivedLog, rows: Sequence[Any]) -> bytes:
    """Takes rows by column name."""
    columns: dict[str, Any] = {
        name: _build_array([row[name] for row in rows], type) for name, type in log.columns.items()
    }
    output = BytesIO()
    write_parquet(Table.from_pydict(columns), output, compression="zstd(3)")
    return output.getvalue()


def read(content: bytes) -> list[dict[str, Any]]:
    """Returns the rows by column name: texts, integers, and times with their zone."""
    table = read_parquet(BytesIO(content)).read_all()
    columns = [table[name].to_pylist() for name in table.column_names]
    return [dict(zip(table.column_names, values, strict=True)) for values in zip(*columns, strict=True)]


def _build_array(values: Sequence[Any], type: ColumnType) -> Array:
    convert = _CONVERSIONS[type]
    converted = [None if value is None else convert(value) for value in values]
    if type == "moment":
        return Array(converted, DataType.int64()).cast(_MOMENT)
    return Array(converted, DataType.int64() if type == "integer" else DataType.utf8())


def _to_milliseconds(text: str) -> int:
    return round(Timestamp(text).moment().timestamp() * 1000)


_CONVERSIONS: dict[ColumnType, Callable[[Any], Any]] = {
    "text": str,
    "integer": int,
    "moment": _to_milliseconds,
    "json": lambda value: value if isinstance(value, str) else to_json(value).decode(),
    "hex": lambda value: value.hex(),
}
