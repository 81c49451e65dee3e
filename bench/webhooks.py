"""Measures how many webhooks per second the worker sends, and how soon they arrive: `python -m bench
webhooks`.

The receiver has its own process on the same cores.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import msgspec

from bench.company import TENANT, Company, blank_database
from bench.deployment import free_port
from bench.load import percentile
from bench.receiver import Seen
from bench.results import Row, Section, at_least, at_most
from bench.scale import Scale
from trilha.core.database import Database
from trilha.core.net import parse_networks
from trilha.core.outbound.guard import Guard
from trilha.platform.events.catalogue import CATALOGUE
from trilha.platform.webhooks import actions, jobs
from trilha.platform.webhooks.schema import NewEndpoint

PER_SECOND = 2_000  # to one endpoint
FIRST_BYTE_MS, BESIDE_HANGING_MS = 300.0, 2_000.0  # p95, p99
ENDPOINTS, ROUNDS = 200, 3
TENANTS, EACH, RATE = 8, 25, 200
_PATIENCE = 30.0
_GUARD = Guard(allow=parse_networks("127.0.0.0/8"), plain_http=True)
_LIMIT = actions.EndpointLimit(10_000)


class _Receiver:
    def __init__(self, port: int, process: "subprocess.Popen[str]") -> None:
        self.port = port
        self._process = process

    def seen(self) -> Seen:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return msgspec.json.decode(self._process.stdout.readline(), type=Seen)


@contextmanager
def _receiving() -> Iterator[_Receiver]:
    port = free_port()
    command = [sys.executable, "-m", "bench.receiver", str(port)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield _Receiver(port, process)
    finally:
        process.kill()
        process.wait()


class _Webhooks:
    """A separate database. Each measurement starts its own worker."""

    def __init__(self, company: Company, url: str, database: Database, receiver: _Receiver) -> None:
        self.company = company
        self.url = url
        self.database = database
        self.receiver = receiver
        self.numbers = 0

    async def per_second(self, endpoints: int, deliveries: int) -> float:
        """Returns the deliveries per second while there are always more of them."""
        await self._subscribe(TENANT, [f"/{n}" for n in range(endpoints)], ["user.updated"])
        async with self.database.transaction(TENANT) as tx:
            await tx.execute(
                """
                INSERT INTO events (tenant_id, id, type, data, created_at)
                SELECT :tenant, gen_random_uuid(), 'user.updated', :data, :now
                FROM generate_series(1, :count::int)
                """,
                data={"user_id": str(uuid4()), "changed": ["department"]},
                count=deliveries // endpoints,
            )
        while await jobs.RELAY.run_once(self.database):
            pass
        await self._execute("VACUUM ANALYZE events, webhook_deliveries", "CHECKPOINT")
        before = await self._calls()
        with self._worker():
            first = await self._wait_for(before + deliveries // 10)
            began = time.perf_counter()
            last = await self._wait_for(before + deliveries)
            rate = (last - first) / (time.perf_counter() - began)
        await self._clear()
        return rate

    async def delays(self, hanging: int, seconds: float) -> list[float]:
        """Returns the milliseconds from commit to first byte of events, in ascending order.

        Each event is for one of 200 endpoints. The first `hanging` of these never answer, and are left out.
        """
        tenants = [TENANT, *(uuid4() for _ in range(TENANTS - 1))]
        types = list(CATALOGUE)[:EACH]
        await self._add_tenants(tenants[1:])
        for place, tenant in enumerate(tenants):
            for n, type in enumerate(types):
                path = "/hang" if place * EACH + n < hanging else "/"
                await self._subscribe(tenant, [path], [type])
        # The numbers continue from one measurement to the next, so that a late arrival does not count in the
        # next one.
        numbers = range(self.numbers, self.numbers + int(RATE * seconds))
        self.numbers = numbers.stop
        wanted = [each for each in numbers if _place_of(each) >= hanging]
        with self._worker():
            # The worker has started when the first event has arrived, which is for the last endpoint.
            calls = await self._calls()
            await self._happen(tenants[-1], types[-1], -1, time.perf_counter())
            await self._wait_for(calls + 1)
            start = time.perf_counter() + 0.1
            happen = (
                self._happen(tenants[_place_of(number) // EACH], types[_place_of(number) % EACH], number, at)
                for number, at in ((number, start + n / RATE) for n, number in enumerate(numbers))
            )
            await asyncio.gather(*happen)
            deadline = time.perf_counter() + _PATIENCE
            while len(delays := await self._delays_of(wanted)) < len(wanted):
                if time.perf_counter() > deadline:
                    break
                await asyncio.sleep(0.2)
        await self._clear()
        return sorted(delays) + [float("inf")] * (len(wanted) - len(delays))

    async def _delays_of(self, numbers: Sequence[int]) -> list[float]:
        delays = (await asyncio.to_thread(self.receiver.seen)).delays
        return [delays[each] for each in numbers if each in delays]

    async def _happen(self, tenant: UUID, type: str, number: int, at: float) -> None:
        await asyncio.sleep(max(0.0, at - time.perf_counter()))
        async with self.database.transaction(tenant) as tx:
            await tx.execute(
                """
                INSERT INTO events (tenant_id, id, type, data, created_at)
                VALUES (:tenant, gen_random_uuid(), :type, :data, :now)
                """,
                type=type,
                data={"number": number, "committed_ms": int(time.time() * 1000)},
            )

    async def _calls(self) -> int:
        return (await asyncio.to_thread(self.receiver.seen)).calls

    async def _wait_for(self, calls: int) -> int:
        """Waits for this many calls, and returns their number: fewer if the time is up."""
        deadline = time.perf_counter() + 10 * _PATIENCE
        while (count := await self._calls()) < calls:
            if time.perf_counter() > deadline:
                break
            await asyncio.sleep(0.02)
        return count

    async def _subscribe(self, tenant: UUID, paths: Sequence[str], events: Sequence[Any]) -> None:
        async with self.database.transaction(tenant) as tx:
            for path in paths:
                new = NewEndpoint(url=f"http://127.0.0.1:{self.receiver.port}{path}", events=list(events))
                await actions.create(tx, new, _GUARD, _LIMIT)

    async def _add_tenants(self, ids: Sequence[UUID]) -> None:
        rows = ", ".join(f"('{id}', 'b-{id.hex}', 'B', now())" for id in ids)
        await self._execute(f"INSERT INTO tenants (id, slug, name, created_at) VALUES {rows}")

    async def _clear(self) -> None:
        await self._execute(
            "TRUNCATE events, webhook_deliveries, webhook_replays, webhook_secrets, webhook_queues,"
            " webhook_endpoints"
        )

    async def _execute(self, *statements: str) -> None:
        owner = await asyncpg.connect(self.url)
        for statement in statements:
            await owner.execute(statement)
        await owner.close()

    @contextmanager
    def _worker(self) -> Iterator[None]:
        settings = {
            "TRILHA_DATA_DIR": str(self.company.folder),
            "TRILHA_DATABASE_URL": self.url,
            "TRILHA_NET_ALLOW": "127.0.0.0/8",
        }
        with (self.company.folder / "webhooks.log").open("ab") as log:
            command = [sys.executable, "-m", "trilha", "work"]
            process = subprocess.Popen(command, env=os.environ | settings, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait(_PATIENCE)


def _place_of(number: int) -> int:
    """Returns the position, among all endpoints, of the one that gets this event."""
    return number % TENANTS * EACH + number // TENANTS % EACH


async def run(company: Company, scale: Scale) -> Section:
    rows: list[Row] = []
    async with blank_database(company, "webhooks") as (url, database):
        with _receiving() as receiver:
            at = _Webhooks(company, url, database, receiver)
            for endpoints in (1, ENDPOINTS):
                rounds = [await at.per_second(endpoints, scale.deliveries) for _ in range(ROUNDS)]
                what = f"Webhooks to {endpoints} endpoint{'s' * (endpoints > 1)}"
                rows.append(at_least(what, median(rounds), PER_SECOND, "deliveries a second"))
            for hanging in (0, TENANTS * EACH // 10):
                delays = await at.delays(hanging, scale.webhook_seconds)
                p95, p99 = percentile(delays, 0.95), percentile(delays, 0.99)
                what = f"From commit to first byte, {RATE} events a second"
                if hanging:
                    what += f", a tenth of {TENANTS * EACH} endpoints never answers"
                    rows.append(at_most(f"{what}: p99", p99, BESIDE_HANGING_MS, "ms"))
                else:
                    rows.append(at_most(f"{what}: p95", p95, FIRST_BYTE_MS, "ms", f"p99 {p99:.0f}"))
    return Section("Webhooks", rows)
