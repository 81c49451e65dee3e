"""What a tenant's first attempts feel of others: of a backlog on one endpoint, and of silent receivers."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

import uvloop

from bench.webhook_setup import Bounds, ReceiverProcess, add_tenants, clear, opened, subscribe, worker
from bench.world import TENANT, World
from trilha.core.database import Database

BACKLOG, IDLE, SILENT = 20_000, 100, 100
RATE, SECONDS = 20, 20


def run(world: World, outside: ReceiverProcess, bounds: Bounds) -> None:
    backlog = uvloop.run(_measure(world, outside, 1_000_000, _make_backlog))
    name = f"ms from commit to first byte, {BACKLOG:,} due elsewhere on an endpoint that is"
    bounds.row(f"{name} slow: p95", _at(backlog, 0.95), "{:,.0f}", 300, most=True)
    silent = uvloop.run(_measure(world, outside, 2_000_000, _make_silent))
    name = f"ms from commit to first byte beside {SILENT} silent endpoints of another tenant"
    bounds.row(f"{name}: p99", _at(silent, 0.99), "{:,.0f}", 1_000, most=True)


def _at(delays: Sequence[float], share: float) -> float:
    ordered = sorted(delays)
    if missing := ordered.count(math.inf):
        print(f"{missing} of {len(ordered)} deliveries never arrived")
    return ordered[int(len(ordered) * share)]


async def _measure(
    world: World,
    outside: ReceiverProcess,
    first: int,
    make_neighbour: Callable[[ReceiverProcess, Database], Awaitable[None]],
) -> list[float]:
    """Milliseconds of each first attempt of a quiet tenant, whose events are numbered from `first`."""
    quiet = uuid4()
    await add_tenants(world, [quiet])
    async with opened(world) as database:
        await make_neighbour(outside, database)
        await subscribe(outside, database, quiet, ["/"], ["user.created"])
        with worker(world):
            await asyncio.sleep(3)
            numbers = range(first, first + RATE * SECONDS)
            for number in numbers:
                stamp = {"number": number, "committed_ms": int(time.time() * 1000)}
                await asyncio.gather(
                    _happen(database, quiet, "user.created", **stamp), asyncio.sleep(1 / RATE)
                )
            await asyncio.sleep(3)
            seen = outside.seen().delays
            delays = [seen.get(number, math.inf) for number in numbers]
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
            data=data,
            count=count,
        )


async def _make_backlog(outside: ReceiverProcess, database: Database) -> None:
    await subscribe(outside, database, TENANT, ["/hang"], ["user.updated"])
    await subscribe(outside, database, TENANT, [f"/{n}" for n in range(IDLE)], ["user.suspended"])
    await _happen(database, TENANT, "user.updated", BACKLOG, neighbour=True)


async def _make_silent(outside: ReceiverProcess, database: Database) -> None:
    await subscribe(outside, database, TENANT, ["/hang"] * SILENT, ["user.updated"])
    await _happen(database, TENANT, "user.updated", 100, neighbour=True)
