"""What a tenant's first attempts feel of others: of a backlog on one endpoint, and of silent receivers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

import uvloop

from bench.webhook_parts import Bounds, Outside, add_tenants, clear, opened, subscribe, worker
from bench.world import TENANT, World
from trilha.core.database import Database

BACKLOG, IDLE, SILENT = 20_000, 100, 100
RATE, SECONDS = 20, 20


def run(world: World, outside: Outside, bounds: Bounds) -> None:
    backlog = uvloop.run(_measure(world, outside, _make_backlog))
    name = f"ms from commit to first byte, {BACKLOG:,} due elsewhere on an endpoint that is"
    bounds.row(f"{name} slow: p95", _at(backlog, 0.95), "{:,.0f}", 300, most=True)
    silent = uvloop.run(_measure(world, outside, _make_silent))
    name = f"ms from commit to first byte beside {SILENT} silent endpoints of another tenant"
    bounds.row(f"{name}: p99", _at(silent, 0.99), "{:,.0f}", 1_000, most=True)


def _at(delays: Sequence[float], share: float) -> float:
    ordered = sorted(delays)
    assert len(ordered) == RATE * SECONDS, "a delivery is missing, or came twice"
    return ordered[int(len(ordered) * share)]


async def _measure(
    world: World, outside: Outside, make_neighbour: Callable[[Outside, Database], Awaitable[None]]
) -> list[float]:
    """Milliseconds of each first attempt of a quiet tenant."""
    quiet = uuid4()
    await add_tenants(world, [quiet])
    async with opened(world) as database:
        await make_neighbour(outside, database)
        await subscribe(outside, database, quiet, ["/"], ["user.created"])
        with worker(world):
            await asyncio.sleep(3)
            outside.seen()
            for _ in range(RATE * SECONDS):
                await asyncio.gather(_happen(database, quiet, "user.created"), asyncio.sleep(1 / RATE))
            await asyncio.sleep(3)
            delays = outside.seen().delays
        await clear(world)
    return delays


async def _happen(database: Database, tenant: UUID, type: str, count: int = 1, **data: Any) -> None:
    async with database.transaction(tenant) as tx:
        await tx.execute(
            """
            INSERT INTO events (tenant_id, id, type, data, created_at)
            SELECT :tenant, gen_random_uuid(), :type, :data, :now FROM generate_series(1, :count::int)
            """,
            type=type,
            data=data or {"committed_ms": int(time.time() * 1000)},
            count=count,
        )


async def _make_backlog(outside: Outside, database: Database) -> None:
    await subscribe(outside, database, TENANT, ["/hang"], ["user.updated"])
    await subscribe(outside, database, TENANT, [f"/{n}" for n in range(IDLE)], ["user.suspended"])
    await _happen(database, TENANT, "user.updated", BACKLOG, neighbour=True)


async def _make_silent(outside: Outside, database: Database) -> None:
    await subscribe(outside, database, TENANT, ["/hang"] * SILENT, ["user.updated"])
    await _happen(database, TENANT, "user.updated", 100, neighbour=True)
