"""The order of turns."""

import asyncio
from uuid import UUID, uuid4

import pytest

from trilha.core.turns import Askers, Turns

ONE, OTHER = uuid4(), uuid4()


async def test_who_asks_once_waits_for_one_of_a_crowd() -> None:
    turns, order = Turns(places=1, per_tenant=1), []

    async def work(name: str) -> None:
        async with turns.turn(ONE if name == "crowd" else OTHER):
            await asyncio.sleep(0)
            order.append(name)

    await asyncio.gather(*(work(name) for name in ["crowd"] * 20 + ["other"]))
    assert order.index("other") <= 2


async def test_a_place_is_left_to_others() -> None:
    turns = Turns(places=2, per_tenant=1)
    async with turns.turn(ONE):
        second = asyncio.ensure_future(turns.turn(ONE).__aenter__())
        await asyncio.sleep(0)
        async with asyncio.timeout(5), turns.turn(OTHER):
            assert not second.done()
        assert turns.count_places(ONE) == 2
    async with asyncio.timeout(5):
        await second


async def test_who_leaves_the_line_holds_nobody_up() -> None:
    turns = Turns(places=1, per_tenant=1)
    async with turns.turn(ONE):
        waiting = [asyncio.ensure_future(turns.turn(ONE).__aenter__()) for _ in range(3)]
        await asyncio.sleep(0)
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    async with asyncio.timeout(5):
        for tenant_id in (OTHER, ONE):
            async with turns.turn(tenant_id):
                assert turns.count_places(ONE) == (tenant_id == ONE)


async def test_alone_one_has_more_places_than_beside_others() -> None:
    now = 0.0
    askers = Askers(lambda: now)
    turns = Turns(places=4, per_tenant=2, beside=1, askers=askers)
    for _ in range(2):
        await turns.take(ONE)
    askers.note(OTHER)
    third = asyncio.ensure_future(turns.take(ONE))
    await asyncio.sleep(0)
    turns.leave(ONE)  # one is left, which is all that it may have
    await asyncio.sleep(0)
    assert not third.done()
    now = 2.0
    fourth = asyncio.ensure_future(turns.take(ONE))  # and no other tenant has asked for a long time
    async with asyncio.timeout(5):
        await third
    turns.leave(ONE)
    async with asyncio.timeout(5):
        await fourth


@pytest.mark.parametrize("rests", [True, False])
async def test_who_rests_is_passed_over(rests: bool) -> None:
    turns, order = Turns(places=1, per_tenant=1, rests=rests), []

    async def work(tenant_id: UUID) -> None:
        async with turns.turn(tenant_id):
            order.append(tenant_id)
            await asyncio.sleep(0)

    async with asyncio.timeout(5):
        await asyncio.gather(*(work(each) for each in (ONE, ONE, OTHER)))
    assert order == ([ONE, OTHER, ONE] if rests else [ONE, ONE, OTHER])
