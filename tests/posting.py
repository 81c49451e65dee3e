"""The worker's part for webhooks, for one tenant alone: tests share the database server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from trilha.doors import Doors
from trilha.settings import Settings
from trilha.webhooks import jobs
from trilha.webhooks.dispatcher import Dispatcher
from trilha.webhooks.sender import Sender

if TYPE_CHECKING:
    from conftest import World


class OwnDoors(Doors):
    """Finds work in one tenant, whether or not it has any: of all tenants' it would see only the first."""

    def __init__(self, world: "World") -> None:
        super().__init__(world.database)
        self._own = world.tenant.id

    async def _tenants(self, sql: str, **params: datetime) -> list[UUID]:
        await super()._tenants(sql, **params)
        return [self._own]


class Post:
    """The worker's part for webhooks, step by step."""

    def __init__(self, world: "World", dispatcher: Dispatcher) -> None:
        self.world = world
        self.doors = OwnDoors(world)
        self.dispatcher = dispatcher

    async def relay(self) -> int:
        return await jobs.relay(self.world.database, self.doors)

    async def send(self) -> int:
        """Relays and sends all that is due; how many attempts were made."""
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
        """Something with an event of its own: user.suspended."""
        user = await self.world.user()
        await self.world.http.post(f"/v1/users/{user['id']}/suspend")
        return user


@asynccontextmanager
async def posting(world: "World", settings: Settings) -> AsyncIterator[Post]:
    sender = Sender(
        settings.guard, world.clock, seconds=2, header_prefix="X-Service-", agent="Trilha-Webhooks/1"
    )
    async with sender:
        yield Post(world, Dispatcher(world.database, OwnDoors(world), sender, slots=50, per_endpoint=10))
