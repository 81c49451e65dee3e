"""What the measurements of webhooks need around them: a receiver, a worker, hands on the database."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from rich.console import Console
from rich.table import Table

from bench.contestants import free_port
from bench.receiver import Seen
from bench.world import World
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.net import parse_networks
from trilha.core.outbound.guard import Guard
from trilha.core.secrets import load_keyring
from trilha.webhooks import actions
from trilha.webhooks.schema import NewEndpoint

GUARD = Guard(allow=parse_networks("127.0.0.0/8"), plain_http=True)
MANY = actions.EndpointLimit(10_000)


class Bounds:
    """What was measured, beside what it should be."""

    def __init__(self) -> None:
        self._table = Table("", "figure", "bound", "")
        self.missed = 0

    def row(self, name: str, value: float, form: str, bound: float, *, most: bool) -> None:
        held = value <= bound if most else value >= bound
        self.missed += not held
        sign = "≤" if most else "≥"
        verdict = "" if held else "missed"
        self._table.add_row(name, form.format(value), f"{sign} {form.format(bound)}", verdict)
        print(f"{name}: {form.format(value)} ({sign} {form.format(bound)}) {verdict}", flush=True)

    def show(self) -> None:
        Console(width=110).print(self._table)
        print(f"bounds missed: {self.missed}")


class ReceiverProcess:
    """Receivers of webhooks in a process of their own."""

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
def receiver() -> Iterator[ReceiverProcess]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.receiver", str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield ReceiverProcess(port, process)
    finally:
        process.kill()
        process.wait()


@contextmanager
def worker(world: World) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", "trilha", "work"],
        env=world.environment() | {"TRILHA_NET_ALLOW": "127.0.0.0/8"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


@asynccontextmanager
async def opened(world: World) -> AsyncIterator[Database]:
    keyring = load_keyring(world.folder / "master.key")
    database = Database(serving_urls(world.url, keyring), system_clock, keyring)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


async def subscribe(
    outside: ReceiverProcess, database: Database, tenant: UUID, paths: Sequence[str], events: Sequence[Any]
) -> None:
    async with database.transaction(tenant) as tx:
        for path in paths:
            new = NewEndpoint(url=f"http://127.0.0.1:{outside.port}{path}", events=list(events))
            await actions.create(tx, new, GUARD, MANY)


async def value(world: World, sql: str) -> Any:
    connection = await asyncpg.connect(world.url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def until(count: Any, *, at_least: int, seconds: float = 300, every: float = 0.2) -> int:
    """The last count: fewer than that where the time is up. Asked for every so many seconds."""
    end = time.perf_counter() + seconds
    while (counted := int(await count())) < at_least and time.perf_counter() < end:  # noqa: ASYNC110
        await asyncio.sleep(every)
    return counted


async def maintain(world: World) -> None:
    connection = await asyncpg.connect(world.url)
    for table in ("events", "webhook_deliveries"):
        await connection.execute(f"VACUUM ANALYZE {table}")
    await connection.execute("CHECKPOINT")
    await connection.close()


async def clear(world: World) -> None:
    connection = await asyncpg.connect(world.url)
    await connection.execute(
        "TRUNCATE events, webhook_deliveries, webhook_replays, webhook_secrets, webhook_queues,"
        " webhook_endpoints"
    )
    await connection.close()


async def add_tenants(world: World, ids: Sequence[UUID]) -> None:
    connection = await asyncpg.connect(world.url)
    for id in ids:
        await connection.execute(
            """
            INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, $2, 'B', now())
            ON CONFLICT DO NOTHING
            """,
            id,
            f"b-{id.hex}",
        )
    await connection.close()
