"""Webhooks under load: how many a second, how soon with receivers that hang, and what the API feels of it.

`python -m bench webhooks`. The receiver is a process of its own on the same two cores.
"""

import asyncio
import json
import math
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import uvloop

from bench import webhook_neighbours
from bench.contestants import running
from bench.webhook_setup import (
    Bounds,
    ReceiverProcess,
    add_tenants,
    clear,
    maintain,
    opened,
    receiver,
    subscribe,
    until,
    value,
    worker,
)
from bench.world import SMALL, TENANT, World, free_pair, make_world, server
from trilha.core.database import Database
from trilha.events.catalogue import CATALOGUE
from trilha.webhooks import jobs

DELIVERIES, ROUNDS = 40_000, 5
RECEIVERS = 200
SENDERS = 200
PER_ENDPOINT = 10  # the default of TRILHA_WEBHOOK_PER_ENDPOINT
TENANTS, EACH = 8, 25
RATE, SECONDS = 200, 20
BULKS, BULK, SUBSCRIBED = 20, 1_000, 5
PATIENCE = 30.0  # seconds


class Bench:
    """One database, one receiver; each measurement starts a worker of its own."""

    def __init__(self, world: World, receiver: ReceiverProcess, bounds: Bounds) -> None:
        self.world = world
        self.receiver = receiver
        self.row = bounds.row
        self.numbers = 0

    def run(self) -> None:
        for receivers, senders in ((RECEIVERS, SENDERS), (1, PER_ENDPOINT)):
            rounds = [self._round(receivers, senders) for _ in range(ROUNDS)]
            name = f"deliveries to {receivers} endpoints beside the bare client's, {senders} at a time"
            ratio = statistics.median(ours / bare for ours, bare in rounds)
            self.row(name, ratio, "{:.2f}", 0.6, most=False)
            if receivers == 1:
                ours = statistics.median(ours for ours, _ in rounds)
                self.row("deliveries a second to one endpoint", ours, "{:,.0f}", 2_000, most=False)
        for hanging in (0, TENANTS * EACH // 10):
            delays = uvloop.run(self._latency(hanging))
            p95, p99 = (delays[int(len(delays) * share)] for share in (0.95, 0.99))
            name = f"ms from commit to first byte at {RATE}/s, {hanging} of {TENANTS * EACH} hang"
            if hanging:
                self.row(f"{name}: p99", p99, "{:,.0f}", 2_000, most=True)
            else:
                self.row(f"{name}: p95", p95, "{:,.0f}", 300, most=True)
        uvloop.run(self._burst())

    def _round(self, receivers: int, senders: int) -> tuple[float, float]:
        """Ours a second, and the bare client's just before and after it: a machine's speed changes."""
        before = uvloop.run(_bare(self.receiver, receivers, senders))
        ours = uvloop.run(self._throughput(receivers))
        bare = (before + uvloop.run(_bare(self.receiver, receivers, senders))) / 2
        print(f"{receivers} endpoints: {ours:,.0f} deliveries a second, the bare client {bare:,.0f}")
        return ours, bare

    async def _throughput(self, receivers: int) -> float:
        async with opened(self.world) as database:
            await subscribe(
                self.receiver, database, TENANT, [f"/{n}" for n in range(receivers)], ["user.updated"]
            )
            async with database.transaction(TENANT) as tx:
                await tx.execute(
                    """
                    INSERT INTO events (tenant_id, id, type, data, created_at)
                    SELECT :tenant, gen_random_uuid(), 'user.updated', :data, :now
                    FROM generate_series(1, :count::int)
                    """,
                    data={"user_id": str(uuid4()), "changed": ["department"]},
                    count=DELIVERIES // receivers,
                )
            while await jobs.RELAY.run_once(database):
                pass
            await maintain(self.world)
            with worker(self.world):
                arrived = await self._arriving()
                await until(arrived, at_least=DELIVERIES // 10, every=0.02)
                done, began = await arrived(), time.perf_counter()
                settled = await self._all_settled(arrived, DELIVERIES)
                rate = (settled - done) / (time.perf_counter() - began)
            if settled < DELIVERIES:
                print(f"{DELIVERIES - settled} deliveries were never made")
            await clear(self.world)
        return rate

    async def _arriving(self) -> Callable[[], Awaitable[int]]:
        """Tells how many requests have come since now, as the receiver counts them: the database is left to
        the work that is measured."""

        async def calls() -> int:
            return (await asyncio.to_thread(self.receiver.seen)).calls

        before = await calls()

        async def arrived() -> int:
            return await calls() - before

        return arrived

    async def _all_settled(self, arrived: Callable[[], Awaitable[int]], count: int) -> int:
        """Waits until so many have come and are written down as delivered; how many are."""
        await until(arrived, at_least=count, every=0.02)
        return await until(self._settled, at_least=count, seconds=PATIENCE, every=0.02)

    async def _settled(self) -> int:
        sql = "SELECT count(*) FROM webhook_deliveries WHERE status = 'DELIVERED'"
        return int(await value(self.world, sql))

    async def _latency(self, hanging: int) -> list[float]:
        """Each event goes to one endpoint. The delays where that answers, the shortest first; what never
        arrives takes for ever."""
        tenants = [TENANT, *(uuid4() for _ in range(TENANTS - 1))]
        types = list(CATALOGUE)[:EACH]
        async with opened(self.world) as database:
            await add_tenants(self.world, tenants)
            for place, tenant in enumerate(tenants):
                for n, type in enumerate(types):
                    path = "/hang" if place * EACH + n < hanging else "/"
                    await subscribe(self.receiver, database, tenant, [path], [type])
            with worker(self.world):
                await asyncio.sleep(2)
                # Numbers go on from one measurement to the next: a late arrival is none of the next one's.
                numbers = range(self.numbers, self.numbers + RATE * SECONDS)
                self.numbers = numbers.stop
                start = time.perf_counter() + 0.1
                await asyncio.gather(
                    *(
                        _happen(database, tenants, types, number, start + at / RATE)
                        for at, number in enumerate(numbers)
                    )
                )
                wanted = [each for each in numbers if _endpoint_of(each) >= hanging]
                delays = await self._arrived(wanted)
            await clear(self.world)
        missing = len(wanted) - len(delays)
        if missing:
            print(f"{missing} of {len(wanted)} deliveries never arrived, {hanging} endpoints hanging")
        return sorted(delays) + [math.inf] * missing

    async def _arrived(self, wanted: Sequence[int]) -> list[float]:
        """The delays of these, waiting a while for what is still under way."""

        def found() -> list[float]:
            delays = self.receiver.seen().delays
            return [delays[each] for each in wanted if each in delays]

        async def count() -> int:
            return len(found())

        await until(count, at_least=len(wanted), seconds=PATIENCE)
        return found()

    async def _burst(self) -> None:
        async with opened(self.world) as database:
            paths = [f"/{n}" for n in range(SUBSCRIBED)]
            await subscribe(self.receiver, database, TENANT, paths, ["enrollment.created"])
            with running([("ours", self.world)]) as (ours,), worker(self.world):
                await asyncio.sleep(2)
                patience = aiohttp.ClientTimeout(PATIENCE)
                async with aiohttp.ClientSession(f"http://127.0.0.1:{ours.port}", timeout=patience) as http:
                    headers = {"authorization": f"Bearer {self.world.key}"}
                    idle = await _listed(http, headers, lambda: asyncio.sleep(3))
                    began = time.perf_counter()
                    arrived = await self._arriving()
                    busy = await _listed(http, headers, lambda: self._enroll(http, headers, arrived))
                took = time.perf_counter() - began
            sent = await self._settled()
        self.row("deliveries of the burst", sent, "{:,.0f}", BULKS * BULK * SUBSCRIBED, most=False)
        print(f"the burst took {took:.0f} s; GET /v1/users p50 {idle:.2f} ms before, {busy:.2f} ms meanwhile")
        self.row("p50 of GET /v1/users meanwhile", busy / idle, "{:.2f}x", 1.5, most=True)

    async def _enroll(
        self, http: Any, headers: dict[str, str], arrived: Callable[[], Awaitable[int]]
    ) -> None:
        for bulk in range(BULKS):
            pairs = [free_pair(SMALL, n) for n in range(bulk * BULK, bulk * BULK + BULK)]
            body = {"enrollments": [{"user_id": str(u), "course_id": str(c)} for u, c in pairs]}
            async with http.post("/v1/enrollments/bulk", json=body, headers=headers) as answer:
                assert answer.status == 201, await answer.text()
        await self._all_settled(arrived, BULKS * BULK * SUBSCRIBED)


async def _bare(receiver: ReceiverProcess, receivers: int, senders: int) -> float:
    """The same client, sending the same bytes with nothing behind it; requests a second."""
    data = {"id": f"evt_{uuid4().hex}", "data": {"user_id": str(uuid4())}, "pad": "x" * 120}
    body = json.dumps(data).encode()
    headers = {f"x-header-{n}": "a" * 60 for n in range(8)}
    numbers = iter(range(DELIVERIES // 2))
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar()
    ) as http:

        async def send() -> None:
            for number in numbers:
                url = f"http://127.0.0.1:{receiver.port}/{number % receivers}"
                async with http.post(url, data=body, headers=headers) as answer:
                    await answer.read()

        began = time.perf_counter()
        await asyncio.gather(*(send() for _ in range(senders)))
        return DELIVERIES // 2 / (time.perf_counter() - began)


def _endpoint_of(number: int) -> int:
    """The place, among all endpoints, of the one that is sent this event."""
    return number % TENANTS * EACH + number // TENANTS % EACH


async def _happen(
    database: Database, tenants: Sequence[UUID], types: Sequence[str], number: int, at: float
) -> None:
    await asyncio.sleep(max(0.0, at - time.perf_counter()))
    tenant, type = divmod(_endpoint_of(number), EACH)
    async with database.transaction(tenants[tenant]) as tx:
        await tx.execute(
            """
            INSERT INTO events (tenant_id, id, type, data, created_at)
            VALUES (:tenant, gen_random_uuid(), :type, :data, :now)
            """,
            type=types[type],
            data={"number": number, "committed_ms": int(time.time() * 1000)},
        )


async def _listed(http: Any, headers: dict[str, str], meanwhile: Any) -> float:
    """The median milliseconds of GET /v1/users, one after another until something else is done. One that is
    not answered takes for ever."""
    other, times = asyncio.create_task(meanwhile()), []
    while not other.done():
        began = time.perf_counter()
        try:
            async with http.get("/v1/users", headers=headers) as answer:
                await answer.read()
                assert answer.status == 200, await answer.text()
            times.append(time.perf_counter() - began)
        except (aiohttp.ClientError, TimeoutError) as error:
            print(f"GET /v1/users was not answered ({type(error).__name__})")
            times.append(math.inf)
        await asyncio.sleep(0.005)
    await other
    return statistics.median(times) * 1000


def main() -> int:
    """How many bounds are missed."""
    os.chdir(Path(__file__).parents[1])
    with ExitStack() as stack:
        folder, url = stack.enter_context(server())
        world, process, bounds = make_world(folder, url, SMALL), stack.enter_context(receiver()), Bounds()
        Bench(world, process, bounds).run()
        webhook_neighbours.run(world, process, bounds)
    bounds.show()
    return bounds.missed
