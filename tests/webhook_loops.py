"""Webhook dispatchers that run beside a test, and a record of their work."""

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
    """Returns only this tenant if it has something due, and ignores the tenants of other tests."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.asked = 0

    async def __call__(self, worker: UUID, full: Collection[UUID], serving: Collection[UUID]) -> Due:
        found = await find_due(self._world, worker, full, serving)
        self.asked += 1
        return found


class Gate:
    """Holds answers back until it is opened, or until no request waits for them."""

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


# The state of a delivery, and the results of its attempts.
DONE: Log = ("DELIVERED", [204])
FAILED: Log = ("PENDING", [500])
WAITS: Log = ("PENDING", [])


class Loops:
    """Dispatchers that run concurrently, as if each had its own process."""

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
        """Yields the event that stops the dispatchers, and stops them at the end."""
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
