"""The worker merges the rows of each counter, and every sum stays the same."""

from datetime import date
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from trilha.core import counter_rows
from trilha.core.counter_rows import CounterTable
from trilha.training.enrollments import counters
from trilha.training.enrollments.jobs import MERGE_COUNTERS
from trilha.training.reports import month_counters

JANUARY, FEBRUARY = date(2026, 1, 1), date(2026, 2, 1)


async def _rows(world: World, table: CounterTable) -> list[tuple[Any, ...]]:
    columns = ", ".join((*table.keys, *table.columns))
    async with world.tx() as tx:
        rows = await tx.rows(
            f"SELECT {columns} FROM {table.name} WHERE tenant_id = :tenant ORDER BY {columns}"
        )
    return [tuple(row) for row in rows]


async def _merge(world: World) -> None:
    for job in MERGE_COUNTERS:
        await job.run_in(world.database, world.tenant.id)


async def _is_due(world: World) -> list[bool]:
    tenants = [await job.due_tenants(world.database, world.tenant.id) for job in MERGE_COUNTERS]
    return [world.tenant.id in found for found in tenants]


async def test_a_counter_is_one_row_in_the_end(world: World) -> None:
    one, other = sorted([UUID(str(await world.course())), UUID(str(await world.course()))])
    for months in ({(one, JANUARY): 2, (other, JANUARY): 5}, {(one, JANUARY): 3, (one, FEBRUARY): 1}):
        async with world.tx() as tx:
            await counters.add(tx, {one: {"enrollments": 2, "score": 7}, other: {"completed": 1}})
            await counters.add_completions(tx, months)
            await counters.add_deadlines(tx, overdue=counters.Months(months))
    assert len(await _rows(world, counters.TOTALS)) == 4
    assert await _is_due(world) == [True, True, True]
    await _merge(world)
    assert await _is_due(world) == [False, False, False]
    assert await _rows(world, counters.TOTALS) == [
        (one, 4, 0, 0, 0, 0, 14, 0, 0),
        (other, 0, 0, 0, 2, 0, 0, 0, 0),
    ]
    assert await _rows(world, counters.COMPLETIONS) == [
        (one, JANUARY, 5),
        (one, FEBRUARY, 1),
        (other, JANUARY, 5),
    ]
    assert [row[2] for row in await _rows(world, counters.DEADLINES)] == [5, 1, 5]
    async with world.tx() as tx:
        await counters.add_completions(tx, {(one, JANUARY): -1})
        assert await month_counters.add_up(tx, JANUARY, FEBRUARY) == {JANUARY: 9, FEBRUARY: 1}
    await _merge(world)
    assert (await _rows(world, counters.COMPLETIONS))[0] == (one, JANUARY, 4)


async def test_rows_that_another_worker_merges_are_left(world: World) -> None:
    course = UUID(str(await world.course()))
    async with world.tx() as tx:
        await counters.add(tx, {course: {"enrollments": 2}})
    async with world.tx() as tx:
        await counter_rows.merge(counters.TOTALS, tx)
        async with world.tx() as second:
            await counters.add(second, {course: {"enrollments": 3}})
        async with world.tx() as second:
            await counter_rows.merge(counters.TOTALS, second)
    # Each change made a row; the next merge makes one row of both.
    assert [row[1] for row in await _rows(world, counters.TOTALS)] == [2, 3]
    async with world.tx() as tx:
        await counters.add(tx, {course: {"enrollments": 1}})
    await _merge(world)
    assert [row[1] for row in await _rows(world, counters.TOTALS)] == [6]


@pytest.mark.parametrize("changes", [{}, {"enrollments": 0, "score": 0}])
async def test_what_adds_nothing_makes_no_row(world: World, changes: dict[str, int]) -> None:
    course = UUID(str(await world.course()))
    async with world.tx() as tx:
        await counters.add(tx, {course: changes})
    assert await _rows(world, counters.TOTALS) == []
