"""Dispatchers of webhooks that run beside a test, and what they have done."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import pytest

from answers import saying
from conftest import World
from posting import find_due
from trilha.platform.webhooks.delivery.dispatcher import Dispatcher
from trilha.platform.webhooks.delivery.queue import Due
from trilha.platform.webhooks.delivery.sender import Sender
from trilha.settings import Settings

Log = tuple[str, list[int | str | None]]


class DueHere:
    """The tenants with something due; but others than this one, which are other tests', are left alone."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.asked = 0

    async def __call__(self, worker: UUID, full: Collection[UUID], serving: Collection[UUID]) -> Due:
        found = await find_due(self._world, worker, full, serving)
        self.asked += 1
        return found


class Gate:
    """Answers are held until it is opened, or nobody waits for them any more."""

    def __init__(self, status: int = 204) -> None:
        self.status = status
        self.held = self.most = 0
        self.opened = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.held += 1
        self.most = max(self.most, self.held)
        waits = [asyncio.ensure_future(each) for each in (self.opened.wait(), reader.read())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for each in waits:
            each.cancel()
        self.held -= 1
        writer.write(saying(b"", "connection: close", status=self.status))


# A delivery's state, and what came of its attempts.
DONE: Log = ("DELIVERED", [204])
FAILED: Log = ("PENDING", [500])
WAITS: Log = ("PENDING", [])


class Loops:
    """Dispatchers that run, each as in a process of its own."""

    def __init__(self, world: World, settings: Settings) -> None:
        self.world = world
        self.due = DueHere(world)
        self._settings = settings

    @asynccontextmanager
    async def idle(
        self, *, slots: int = 50, agent: str = "Test", seconds: float = 2
    ) -> AsyncIterator[Dispatcher]:
        guard, clock = self._settings.guard, self.world.clock
        sender = Sender(guard, clock, seconds=seconds, header_prefix="X-Service-", agent=agent)
        async with sender:
            yield Dispatcher(self.world.database, sender, slots=slots, per_endpoint=10, find_due=self.due)

    @asynccontextmanager
    async def running(self, **options: Any) -> AsyncIterator[Callable[[], asyncio.Task[None]]]:
        """Gives what tells it to stop, and is told at the end."""
        async with self.idle(**options) as dispatcher:
            stop = asyncio.Event()
            task = asyncio.create_task(dispatcher.run(stop))

            def stopping() -> asyncio.Task[None]:
                stop.set()
                return task

            try:
                yield stopping
            finally:
                await stopping()


@pytest.fixture
def loops(world: World, settings: Settings) -> Loops:
    return Loops(world, settings)


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def log(world: World) -> list[Log]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT status, attempt_log FROM webhook_deliveries WHERE tenant_id = :tenant ORDER BY id"
        )
    return [
        (row["status"], [each["http_status"] or each["error"] for each in row["attempt_log"]]) for row in rows
    ]


async def until_log(world: World, *wanted: Log) -> None:
    async with asyncio.timeout(10):
        while sorted(await log(world)) != sorted(wanted):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
