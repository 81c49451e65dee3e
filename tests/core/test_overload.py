"""When the server refuses at once instead of answering too late."""

import asyncio
from uuid import UUID

from trilha.core.turns import Turns
from trilha.core.web.overload import Queue

TENANT = UUID(int=1)


class Seconds:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def wait(queue: Queue, clock: Seconds, seconds: float) -> None:
    async with queue.wait():
        clock.now += seconds


async def test_a_queue_in_which_every_request_waits_long_is_full() -> None:
    clock = Seconds()
    queue = Queue(0.5, clock)
    await wait(queue, clock, 0.9)
    assert queue.is_full
    await wait(queue, clock, 0.6)
    assert queue.is_full


async def test_a_burst_that_is_worked_off_is_no_full_queue() -> None:
    clock = Seconds()
    queue = Queue(0.5, clock)
    await wait(queue, clock, 0.01)  # the first request of the burst starts at once
    await wait(queue, clock, 0.8)
    assert not queue.is_full


async def test_a_queue_from_which_nothing_begins_is_full() -> None:
    clock = Seconds()
    queue = Queue(0.5, clock)
    async with queue.wait():
        clock.now += 0.7
        assert queue.is_full
    clock.now += 0.6  # the long wait was the only one in its window
    assert queue.is_full
    clock.now += 0.6
    assert not queue.is_full  # nothing is waiting anymore


async def test_what_is_urgent_goes_before_what_came_earlier() -> None:
    turns = Turns(1, 1)
    await turns.take(TENANT)
    order: list[str] = []

    async def take(name: str, *, urgent: bool) -> None:
        await turns.take(TENANT, urgent=urgent)
        order.append(name)
        turns.leave(TENANT)

    waiting = [
        asyncio.create_task(take(name, urgent=urgent))
        for name, urgent in (("read", False), ("commit", True), ("list", False), ("heartbeat", True))
    ]
    await asyncio.sleep(0)
    turns.leave(TENANT)
    await asyncio.gather(*waiting)
    assert order == ["commit", "heartbeat", "read", "list"]
