"""Long work of several tenants in parallel: the tenant that was served longest ago is next."""

import asyncio
from uuid import UUID, uuid4

import pytest

from conftest import World
from trilha.core.database import Database
from trilha.core.jobs import SideBySide


class Work:
    """Each piece runs until it is told to end."""

    def __init__(self) -> None:
        self.begun: list[UUID] = []
        self.ends: dict[UUID, asyncio.Event] = {}

    async def run_next(self, _: Database, tenant_id: UUID) -> int:
        self.begun.append(tenant_id)
        end = self.ends[tenant_id] = asyncio.Event()
        await end.wait()
        return 1


async def test_a_slow_tenant_keeps_its_own_place_and_nobody_else_s(world: World) -> None:
    work, slow, others = Work(), uuid4(), [uuid4() for _ in range(3)]
    turns = SideBySide(2, work.run_next)
    every = [slow, *others]
    assert await turns.run_once(world.database, every, 0.01) == 0
    assert work.begun == every[:2]
    for _ in range(2):  # the slow one never finishes
        for tenant_id in others:
            work.ends[work.begun[-1]].set()
            assert await turns.run_once(world.database, every, 5) == 1
            assert await turns.run_once(world.database, every, 0.01) == 0
            assert tenant_id in work.begun
    assert work.begun.count(slow) == 1
    assert {work.begun.count(tenant_id) for tenant_id in others} <= {2, 3}
    for end in work.ends.values():
        end.set()
    assert await turns.run_once(world.database, [], 5) == 2


async def test_what_is_running_is_waited_for_at_the_end(world: World) -> None:
    work, tenant_id = Work(), uuid4()
    turns = SideBySide(2, work.run_next)
    await turns.run_once(world.database, [tenant_id], 0.01)
    closing = asyncio.create_task(turns.close())
    await asyncio.sleep(0)
    assert not closing.done()
    work.ends[tenant_id].set()
    await closing


async def test_one_that_fails_ends_no_other(world: World) -> None:
    done = asyncio.Event()
    failing, other = uuid4(), uuid4()

    async def run_next(_: Database, tenant_id: UUID) -> int:
        if tenant_id == failing:
            raise OSError("disk full")
        await done.wait()
        return 1

    turns = SideBySide(2, run_next)
    with pytest.raises(OSError, match="disk full"):
        await turns.run_once(world.database, [failing, other], 5)
    done.set()
    assert await turns.run_once(world.database, [], 5) == 1
