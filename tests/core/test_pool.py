import asyncio
from collections.abc import Callable

import pytest

from trilha.core.database.pool import Pool, PoolClosed


class Line:
    """What the pool asks of a connection."""

    def __init__(self) -> None:
        self.dead = False

    def is_closed(self) -> bool:
        return self.dead

    def terminate(self) -> None:
        self.dead = True


class Exchange:
    def __init__(self) -> None:
        self.made: list[Line] = []
        self.refuses = False

    async def connect(self) -> Line:
        await asyncio.sleep(0)
        if self.refuses:
            raise ConnectionRefusedError
        self.made.append(Line())
        return self.made[-1]


@pytest.fixture
def exchange() -> Exchange:
    return Exchange()


@pytest.fixture
def pool(exchange: Exchange) -> Pool:
    return Pool(exchange.connect, 2)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_opens_no_more_than_its_size(pool: Pool, exchange: Exchange) -> None:
    async def use() -> None:
        async with pool.connection():
            await _settle()

    await asyncio.gather(*(use() for _ in range(20)))
    assert len(exchange.made) == 2


@pytest.mark.parametrize("prefers", [None, lambda line: True])
async def test_lends_what_was_used_last(pool: Pool, prefers: Callable[[Line], bool] | None) -> None:
    """Whoever asks one at a time has one connection, however many there are."""
    first, second = await pool.acquire(), await pool.acquire()
    pool.release(first)
    pool.release(second)
    for _ in range(3):
        line = await pool.acquire(prefers)
        assert line is second
        pool.release(line)


async def test_uses_what_it_has_before_it_makes_more(pool: Pool, exchange: Exchange) -> None:
    for _ in range(3):
        async with pool.connection():
            pass
    assert len(exchange.made) == 1


async def test_serves_in_the_order_of_asking(pool: Pool) -> None:
    held = [await pool.acquire(), await pool.acquire()]
    order: list[int] = []

    async def ask(number: int) -> None:
        async with pool.connection():
            order.append(number)

    asking = [asyncio.create_task(ask(number)) for number in range(4)]
    await _settle()
    assert order == []
    for each in held:
        pool.release(each)
    await asyncio.gather(*asking)
    assert order == [0, 1, 2, 3]


async def test_replaces_what_died_in_use(pool: Pool, exchange: Exchange) -> None:
    held = [await pool.acquire(), await pool.acquire()]
    asking = asyncio.create_task(pool.acquire())
    await _settle()
    held[0].terminate()
    pool.release(held[0])
    assert await asking is exchange.made[2]


async def test_replaces_what_died_idle(pool: Pool, exchange: Exchange) -> None:
    await pool.open()
    exchange.made[0].dead = True
    assert await pool.acquire() is exchange.made[1]


async def test_hands_on_the_turn_of_one_who_gave_up(pool: Pool) -> None:
    held = [await pool.acquire(), await pool.acquire()]
    leaving, staying = (asyncio.create_task(pool.acquire()) for _ in range(2))
    await _settle()
    pool.release(held[0])  # given to the first, who is cancelled before it runs
    leaving.cancel()
    assert await asyncio.wait_for(staying, 5) is held[0]


async def test_a_refused_connection_leaves_room(pool: Pool, exchange: Exchange) -> None:
    exchange.refuses = True
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            await pool.acquire()
    exchange.refuses = False
    assert await pool.acquire() is exchange.made[0]


async def test_renewing_drops_idle_and_returning_connections(pool: Pool, exchange: Exchange) -> None:
    out, idle = await pool.acquire(), await pool.acquire()
    pool.release(idle)
    pool.renew()
    assert idle.dead
    assert not out.dead
    pool.release(out)
    assert out.dead
    assert not (await pool.acquire()).dead


async def test_closing_waits_for_what_is_out_and_refuses_the_rest(pool: Pool) -> None:
    held = [await pool.acquire(), await pool.acquire()]
    asking = asyncio.create_task(pool.acquire())
    await _settle()
    closing = asyncio.create_task(pool.close())
    await _settle()
    with pytest.raises(PoolClosed):
        await asking
    pool.release(held[0])
    await _settle()
    assert not closing.done()
    pool.release(held[1])
    await asyncio.wait_for(closing, 5)
    assert all(each.dead for each in held)
    with pytest.raises(PoolClosed):
        await pool.acquire()
