"""The loops that run what is due. Work is claimed by the state of its rows; there is no second queue."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

from trilha.core import idempotency, logs
from trilha.core.db import LOST, Database
from trilha.doors import Doors
from trilha.enrollments import jobs as enrollments
from trilha.oauth import jobs as oauth
from trilha.settings import Settings
from trilha.webhooks import jobs as webhooks
from trilha.webhooks.dispatcher import Dispatcher
from trilha.webhooks.sender import Sender

Job = Callable[[Database, Doors], Awaitable[int]]


async def forget_replies(database: Database, doors: Doors) -> int:
    done = 0
    for tenant_id in await doors.tenants_with_old_replies():
        async with database.transaction(tenant_id) as tx:
            done += await idempotency.forget(tx)
    return done


async def forget_windows(_: Database, doors: Doors) -> int:
    return await doors.forget_windows()


def jobs(settings: Settings) -> dict[str, tuple[Job, float]]:
    """Each job with the seconds it rests when it finds nothing to do."""
    forget = partial(
        webhooks.forget,
        history=timedelta(days=settings.webhook_retention_days),
        events=timedelta(days=settings.event_retention_days),
    )
    rotate = partial(oauth.rotate_signing_keys, age=timedelta(days=settings.signing_key_days))
    return {
        "relay events": (webhooks.relay, 0.05),
        "replay events": (webhooks.replay, 1),
        "bury held webhooks": (webhooks.bury_held, 60),
        "forget webhooks": (forget, 60),
        "forget tokens": (oauth.forget, 60),
        "rotate signing keys": (rotate, 3600),
        "expire enrollments": (enrollments.expire_due, 5),
        "forget replies": (forget_replies, 60),
        "forget windows": (forget_windows, 60),
    }


# Done many times a second; what they do is seen in the history.
_UNTOLD = ("relay events",)


async def run(settings: Settings, database: Database, stop: asyncio.Event) -> None:
    """Until `stop` is set. A job that fails is tried again; the others go on."""
    doors = Doors(database)
    sender = Sender(
        settings.guard,
        database.clock,
        seconds=settings.webhook_timeout,
        header_prefix=settings.header_prefix,
        agent=settings.webhook_agent,
    )
    async with sender, asyncio.TaskGroup() as tasks:
        dispatcher = Dispatcher(
            database,
            doors,
            sender,
            slots=settings.webhook_slots,
            per_endpoint=settings.webhook_per_endpoint,
            lease=timedelta(seconds=3 * settings.webhook_timeout),
        )
        tasks.create_task(dispatcher.run(stop))
        for name, (job, rest) in jobs(settings).items():
            tasks.create_task(_repeat(name, job, rest, database, doors, stop))


async def _repeat(
    name: str, job: Job, rest: float, database: Database, doors: Doors, stop: asyncio.Event
) -> None:
    while not stop.is_set():
        pause = rest
        try:
            done = await job(database, doors)
            if done:
                pause = 0
                if name not in _UNTOLD:
                    logs.note(name, count=done)
        except LOST as error:
            logs.note(f"{name}: database lost", error=logs.where(error))
        except Exception as error:
            logs.failed(f"{name} failed", error)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause or 0.01)
