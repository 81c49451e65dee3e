"""The loop that runs what is due. Work is claimed by the state of its rows; there is no second queue."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from trilha.core import idempotency, logs
from trilha.core.db import LOST, Database
from trilha.doors import Doors
from trilha.enrollments import jobs as enrollments

Job = Callable[[Database, Doors], Awaitable[int]]


async def forget_replies(database: Database, doors: Doors) -> int:
    done = 0
    for tenant_id in await doors.tenants_with_old_replies():
        async with database.transaction(tenant_id) as tx:
            done += await idempotency.forget(tx)
    return done


async def forget_windows(_: Database, doors: Doors) -> int:
    return await doors.forget_windows()


# Each job with the seconds it rests when it finds nothing to do.
JOBS: dict[str, tuple[Job, float]] = {
    "expire enrollments": (enrollments.expire_due, 5),
    "forget replies": (forget_replies, 60),
    "forget windows": (forget_windows, 60),
}


async def run(database: Database, stop: asyncio.Event) -> None:
    """Until `stop` is set. A job that fails is tried again; the others go on."""
    doors = Doors(database)
    async with asyncio.TaskGroup() as tasks:
        for name, (job, rest) in JOBS.items():
            tasks.create_task(_repeat(name, job, rest, database, doors, stop))


async def _repeat(
    name: str, job: Job, rest: float, database: Database, doors: Doors, stop: asyncio.Event
) -> None:
    while not stop.is_set():
        pause = rest
        try:
            done = await job(database, doors)
            if done:
                logs.note(name, count=done)
                pause = 0
        except LOST as error:
            logs.note(f"{name}: database lost", error=logs.where(error))
        except Exception as error:
            logs.failed(f"{name} failed", error)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause or 0.01)
