"""What integrators call, in a tenant of 10,000 people and in one of a million.

`python -m bench growth`. Both are asked in turn, call by call, by the application in this process: whatever
else the machine does falls on both alike. In a folder that is kept they are seeded once.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg
import httpx2
from rich.console import Console
from rich.table import Table

from bench.growing_calls import CALLS, Call, Size
from bench.world import TENANT, create_database, server
from trilha.api_keys import actions as api_keys
from trilha.app import create_app
from trilha.core.clock import system_clock
from trilha.core.credentials import Scope
from trilha.core.database import Connection, Database
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.secrets import Keyring, load_keyring
from trilha.core.web.rate_limits import Limit
from trilha.settings import Settings

SEED = Path(__file__).with_name("growth.sql")
SMALL = Size("10k", users=10_000, courses=200)
LARGE = Size("1M", users=1_000_000, courses=2_000)
MOST = 1.3
# So much longer a call may take whatever the ratio: that is a few pages of an index.
FREE_MS = 0.3


class Statements:
    """How long this process waits for statements, in seconds."""

    taken = 0.0


async def _timed(self: Connection, method: Any, text: str, values: Any, **options: Any) -> Any:
    began = time.perf_counter()
    try:
        return await _run(self, method, text, values, **options)
    finally:
        Statements.taken += time.perf_counter() - began


_run = Connection._run


@dataclass
class Tenant:
    """A seeded database with an application that answers for it."""

    size: Size
    http: httpx2.AsyncClient

    async def measure(self, call: Call, n: int, cursor: str = "") -> tuple[float, float]:
        """Milliseconds of the call, and of its statements."""
        path, body = call.path(self.size, n), call.body and call.body(self.size, n)
        before, began = Statements.taken, time.perf_counter()
        answer = await self.http.request(call.method, path + cursor, json=body)
        took = time.perf_counter() - began
        if answer.status_code != call.status or (body and answer.json()["data"].get("failed")):
            raise RuntimeError(f"{call.name}: {answer.status_code} {answer.text[:500]}")
        return took * 1000, (Statements.taken - before) * 1000

    async def cursor(self, call: Call) -> str:
        """What leads to the page that the call is to be measured at."""
        cursor = ""
        for _ in range(call.walk):
            page = (await self.http.get(call.path(self.size, 0) + cursor)).json()
            cursor = f"&cursor={page['next_cursor']}"
        return cursor


def main(only: str = "", kept: Path | None = None) -> int:
    """How many bounds are missed. `only` are words with commas between."""
    Connection._run = _timed  # type: ignore[method-assign]
    logging.getLogger("trilha").setLevel(logging.WARNING)
    with server(kept) as (folder, url):
        return asyncio.run(_main(folder, url, only.split(",")))


async def _main(folder: Path, url: str, only: Sequence[str]) -> int:
    async with AsyncExitStack() as stack:
        began = time.monotonic()
        small, large = [
            await stack.enter_async_context(_tenant(folder, url, size)) for size in (SMALL, LARGE)
        ]
        print(f"Measuring after {time.monotonic() - began:.0f} s", flush=True)
        report = Report()
        for call in CALLS:
            if any(word in call.name for word in only):
                report.add(call, *await _take_turns(call, small, large))
    return report.show()


@asynccontextmanager
async def _tenant(folder: Path, url: str, size: Size) -> AsyncIterator[Tenant]:
    keyring = load_keyring(folder / "master.key")
    url = await _copy(await _seeded(url, size, keyring), size)
    await migrate(url, keyring)
    database = Database(serving_urls(url, keyring), system_clock, keyring, size=2)
    unlimited = Limit(10**9, 900)
    app: Any = create_app(Settings(data_dir=folder, limit_v1=unlimited), database)
    await database.open()
    async with database.transaction(TENANT) as tx:
        key = (await api_keys.create(tx, "bench", list(Scope), prefix="trl_live_")).key
    headers = {"authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://bench", headers=headers
    ) as http:
        yield Tenant(size, http)
    await database.close()


async def _seeded(url: str, size: Size, keyring: Keyring) -> str:
    """The address of a database that nothing else is done with."""
    name = f"seed_{size.name}"
    owner = await asyncpg.connect(url)
    known = await owner.fetchval("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name)
    await owner.close()
    if known:
        return url.replace("/postgres?", f"/{name}?")
    url = await create_database(url, name)
    await migrate(url, keyring)
    owner = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    await owner.execute(SEED.read_text().format(tenant=TENANT, users=size.users, courses=size.courses))
    await owner.execute("VACUUM ANALYZE")
    await owner.close()
    return url


async def _copy(url: str, size: Size) -> str:
    """The address of what the calls may change."""
    postgres = url.replace(f"/seed_{size.name}?", "/postgres?")
    owner = await asyncpg.connect(postgres)
    await owner.execute(f'DROP DATABASE IF EXISTS "{size.name}"')
    await owner.execute(f'CREATE DATABASE "{size.name}" TEMPLATE "seed_{size.name}" STRATEGY FILE_COPY')
    await owner.execute("CHECKPOINT")
    await owner.close()
    return postgres.replace("/postgres?", f"/{size.name}?")


async def _take_turns(call: Call, small: Tenant, large: Tenant) -> tuple[list[Any], list[Any]]:
    """What each call took at both, without those of the first tenth, which warm up."""
    tenants = [(each, await each.cursor(call), list[tuple[float, float]]()) for each in (small, large)]
    for n in range(call.times):
        for tenant, cursor, taken in tenants[:: -1 if n % 2 else 1]:
            taken.append(await tenant.measure(call, n, cursor))
    warm = call.times // 10 + 1
    return tenants[0][2][warm:], tenants[1][2][warm:]


class Report:
    def __init__(self) -> None:
        self.table = Table("", "ms at 10k", "of statements", "ms at 1M", "of statements", "ratio", "")
        for column in self.table.columns[1:]:
            column.justify = "right"
        self.missed = 0

    def add(self, call: Call, small: list[Any], large: list[Any]) -> None:
        (at_small, sql_small), (at_large, sql_large) = (
            [median(column) for column in zip(*taken, strict=True)] for taken in (small, large)
        )
        held = at_large <= max(at_small * MOST, at_small + FREE_MS)
        self.missed += not held
        figures = (f"{each:.2f}" for each in (at_small, sql_small, at_large, sql_large, at_large / at_small))
        name = call.name + (f", page {call.walk + 1}" if call.walk else "")
        print(name, *(row := list(figures)), flush=True)
        self.table.add_row(name, *row, "" if held else "missed")

    def show(self) -> int:
        Console(width=140).print(self.table)
        print(f"at most {MOST} times, or {FREE_MS} ms more; bounds missed: {self.missed}")
        return self.missed
