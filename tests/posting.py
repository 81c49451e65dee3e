"""Runs the worker's webhook jobs for one tenant, because tests share the database server."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from trilha.core.jobs import TenantJob
from trilha.platform.webhooks import jobs
from trilha.platform.webhooks.delivery import queue
from trilha.platform.webhooks.delivery.dispatcher import Dispatcher
from trilha.platform.webhooks.delivery.queue import Due
from trilha.platform.webhooks.delivery.sender import Sender
from trilha.settings import Settings

if TYPE_CHECKING:
    from conftest import World


async def run_job(job: TenantJob, *worlds: "World") -> int:
    """Runs the job once in these tenants, where something is due: other tests share the server."""
    done = 0
    for world in worlds:
        if world.tenant.id in await job.due_tenants(world.database, world.tenant.id):
            done += await job.run_in(world.database, world.tenant.id)
    return done


def dispatcher_of(world: "World", sender: Sender) -> Dispatcher:
    """Returns a dispatcher that sends only this tenant's deliveries."""
    return Dispatcher(world.database, sender, slots=50, per_endpoint=10, find_due=partial(find_due, world))


async def find_due(world: "World", worker: UUID, full: Collection[UUID], serving: Collection[UUID]) -> Due:
    """Returns what is due in this tenant, and ignores the tenants of other tests."""
    found = await queue.find_due(world.database, worker, full, serving, limit=100_000)
    return Due([each for each in found.endpoints if each.tenant_id == world.tenant.id], found.suspended)


class Post:
    """Runs the worker's webhook jobs step by step."""

    def __init__(self, world: "World", dispatcher: Dispatcher) -> None:
        self.world = world
        self.dispatcher = dispatcher

    async def relay(self) -> int:
        return await jobs.RELAY.run_in(self.world.database, self.world.tenant.id)

    async def send(self) -> int:
        """Relays and sends everything that is due. Returns the number of attempts."""
        await self.relay()
        return await self.dispatcher.drain()

    async def endpoint(self, url: str, *events: str, **members: Any) -> dict[str, Any]:
        body = {"url": url, "events": list(events) or ["user.suspended"], **members}
        answer = await self.world.http.post("/v1/webhooks", json=body)
        assert answer.status_code == 201, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    async def deliveries(self, endpoint: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
        answer = await self.world.http.get(f"/v1/webhooks/{endpoint['id']}/deliveries{query}")
        assert answer.status_code == 200, answer.text
        data: list[dict[str, Any]] = answer.json()["data"]
        return data

    async def happen(self) -> dict[str, Any]:
        """Causes an event: user.suspended."""
        user = await self.world.user()
        await self.world.http.post(f"/v1/users/{user['id']}/suspend")
        return user


@asynccontextmanager
async def posting(world: "World", settings: Settings) -> AsyncIterator[Post]:
    sender = Sender(
        settings.guard, world.clock, seconds=2, header_prefix="X-Service-", agent="Trilha-Webhooks/1"
    )
    async with sender:
        yield Post(world, dispatcher_of(world, sender))
