"""XLSX and Parquet files with many rows: their content equals the database, and memory does not grow."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import openpyxl
import psutil
import pyarrow.parquet
import pytest

from conftest import World
from training.reports.test_export_csv import fill
from trilha.training.reports.exports.making import Making
from trilha.training.reports.exports.rows import ExportFilter

LONG = int(os.environ.get("EXPORT_ROWS", "1000000"))
MIB = 1 << 20
Row = tuple[Any, ...]


@pytest.mark.parametrize(
    "count", [3_000, pytest.param(LONG, marks=[pytest.mark.long, pytest.mark.timeout(3600)])]
)
@pytest.mark.parametrize("form", ["xlsx", "parquet"])
async def test_read_back_it_is_what_the_database_holds(
    world: World, database_url: str, tmp_path: Path, form: str, count: int
) -> None:
    await fill(world, count)
    making = Making(tmp_path, form)
    work = asyncio.create_task(making.make(world.database, world.tenant.id, ExportFilter()))
    own = psutil.Process()
    before, most, of_writer = own.memory_info().rss, 0, 0
    while not (await asyncio.wait({work}, timeout=0.05))[0]:
        most = max(most, own.memory_info().rss)
        of_writer = max([of_writer, *map(_rss_of_writer, own.children())])
    found = _xlsx(await work) if form == "xlsx" else _parquet(await work)
    assert making.rows == count
    same = 0
    async for expected in _stored(world, database_url):
        assert next(found) == expected
        same += 1
    assert (same, next(found, None)) == (count, None)
    assert (most - before) / MIB < 40
    assert of_writer / MIB < 160


def _rss_of_writer(process: psutil.Process) -> int:
    try:
        is_writer = "trilha.training.reports.exports.writing" in process.cmdline()
        return int(process.memory_info().rss) if is_writer else 0
    except psutil.NoSuchProcess:
        return 0


async def _stored(world: World, url: str) -> AsyncIterator[Row]:
    connection = await asyncpg.connect(url)
    async with connection.transaction():
        async for row in connection.cursor(
            """SELECT u.name, u.email, c.title, e.status, e.progress, e.score, e.created_at, e.started_at,
                      e.completed_at, e.expires_at
               FROM enrollments e JOIN users u ON u.id = e.user_id JOIN courses c ON c.id = e.course_id
               WHERE e.tenant_id = $1 ORDER BY e.created_at DESC, e.id DESC""",
            world.tenant.id,
            prefetch=5_000,
        ):
            yield tuple(row)
    await connection.close()


def _xlsx(file: Path) -> Iterator[Row]:
    book = openpyxl.load_workbook(file, read_only=True)
    for sheet in book.worksheets:
        rows = sheet.iter_rows(values_only=True)
        next(rows)
        for row in rows:
            whole = (*row, *[None] * (10 - len(row)))
            yield (*whole[:6], *map(_moment, whole[6:]))


def _moment(cell: Any) -> datetime | None:
    """Converts a spreadsheet's days, to the millisecond."""
    if cell is None:
        return None
    rounded = cell + timedelta(microseconds=500)
    return rounded.replace(microsecond=rounded.microsecond // 1000 * 1000, tzinfo=UTC)


def _parquet(file: Path) -> Iterator[Row]:
    for batch in pyarrow.parquet.ParquetFile(file).iter_batches():
        for row in batch.to_pylist():
            yield tuple(row.values())
