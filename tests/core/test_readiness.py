"""Readiness answers at once, whatever else the database and its pools have to do."""

import asyncio
import time
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest

from conftest import World
from trilha.core.database import readiness
from trilha.core.database.failures import Unreachable
from trilha.core.database.readiness import Readiness


class Connection:
    """Answers when a test lets it."""

    def __init__(self) -> None:
        self.answers = asyncio.Event()
        self.answers.set()
        self.queries = 0
        self.is_terminated = False

    async def execute(self, _: str) -> None:
        self.queries += 1
        await self.answers.wait()

    def terminate(self) -> None:
        self.is_terminated = True


def checking(*connections: Any) -> Readiness:
    remaining = list(connections)

    async def connect() -> Any:
        connection = remaining.pop(0)
        if isinstance(connection, Exception):
            raise connection
        return connection

    return Readiness(connect)


async def seconds_until_answer(world: World) -> tuple[float, int]:
    began = time.perf_counter()
    status = (await world.http.get("/readyz")).status_code
    return time.perf_counter() - began, status


async def test_it_needs_no_connection_of_the_pools(world: World) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(2):  # as many as the pool has
            await stack.enter_async_context(world.database.unscoped())
        for _ in range(20):
            await stack.enter_async_context(world.database.transaction(world.tenant.id))
        seconds, status = await asyncio.wait_for(seconds_until_answer(world), 5)
    assert status == 200
    assert seconds < 1  # 0.1 on a machine that has nothing else to do


async def test_checks_at_the_same_time_share_one_query() -> None:
    connection = Connection()
    check = checking(connection)
    await asyncio.gather(*(check.check() for _ in range(50)))
    await check.check()
    assert connection.queries == 1
    await check.close()
    assert connection.is_terminated


async def test_a_slow_answer_counts_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "WAIT_SECONDS", 0.001)
    monkeypatch.setattr(readiness, "_KEEP_SECONDS", 0.0)
    connection = Connection()
    check = checking(connection, Connection())
    await check.check()
    connection.answers.clear()
    await check.check()  # it has just answered
    monkeypatch.setattr(readiness, "SILENCE_SECONDS", 0.0)
    with pytest.raises(Unreachable):
        await check.check()
    connection.answers.set()
    await check.close()


async def test_a_connection_that_fails_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_KEEP_SECONDS", 0.0)
    check = checking(Unreachable(), asyncpg.TooManyConnectionsError(), Connection())
    for _ in range(2):
        with pytest.raises(Unreachable):
            await check.check()
    await check.check()
    await check.close()


async def test_a_silent_connection_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "SILENCE_SECONDS", 0.01)
    silent, next_one = Connection(), Connection()
    silent.answers.clear()
    check = checking(silent, next_one)
    with pytest.raises(Unreachable):
        await check.check()
    assert silent.is_terminated
    await check.check()
    await check.close()
