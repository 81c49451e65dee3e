"""What was completed in a month that is over is one row, and the sum stays."""

from datetime import date, timedelta
from uuid import UUID

from conftest import World
from trilha.reports import month_counters
from trilha.reports.jobs import MERGE_MONTHS


async def _count(world: World, course_id: UUID, month: date, *slots: int) -> None:
    async with world.tx() as tx:
        for slot in slots:
            await tx.execute(
                """
                INSERT INTO course_completions (tenant_id, course_id, month, slot, completed)
                VALUES (:tenant, :course_id, :month, :slot, 10)
                """,
                course_id=course_id,
                month=month,
                slot=slot,
            )


async def _rows(world: World) -> list[tuple[date, int, int]]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT month, slot, completed FROM course_completions WHERE tenant_id = :tenant ORDER BY 1, 2, 3"
        )
    return [(row["month"], row["slot"], row["completed"]) for row in rows]


async def test_months_that_are_over_have_one_row_a_course(world: World) -> None:
    this = world.clock().date().replace(day=1)
    last, before = [(this - timedelta(days=days)).replace(day=1) for days in (1, 40)]
    one, other = UUID(str(await world.course())), UUID(str(await world.course()))
    await _count(world, one, before, 0, 3, 7)
    await _count(world, other, before, 5)
    await _count(world, one, last, 2, 4)
    await _count(world, one, this, 1, 2)
    world.clock.move(days=40)
    now = world.clock().date().replace(day=1)
    await _count(world, one, now, 1, 2)
    assert world.tenant.id in await MERGE_MONTHS.due_tenants(world.database, world.tenant.id)
    while await MERGE_MONTHS.run_in(world.database, world.tenant.id):
        pass
    merged = [(before, 0, 10), (before, 0, 30), (last, 0, 20), (this, 0, 20)]
    assert await _rows(world) == [*merged, (now, 1, 10), (now, 2, 10)]
    async with world.tx() as tx:
        assert await month_counters.add_up(tx, last, now) == {last: 20, this: 20, now: 20}
    assert world.tenant.id not in await MERGE_MONTHS.due_tenants(world.database, world.tenant.id)


async def test_a_row_that_is_being_changed_is_left(world: World) -> None:
    month = date(2020, 1, 1)
    course_id = UUID(str(await world.course()))
    await _count(world, course_id, month, 1, 2)
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE course_completions SET completed = 11 WHERE tenant_id = :tenant AND slot = 2"
        )
        assert await MERGE_MONTHS.run_in(world.database, world.tenant.id) == 1
    assert await _rows(world) == [(month, 0, 10), (month, 2, 11)]
    await MERGE_MONTHS.run_in(world.database, world.tenant.id)
    assert await _rows(world) == [(month, 0, 21)]
