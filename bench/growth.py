"""What integrators call, in a tenant of 10,000 people and in one of a million.

`python -m bench growth`. Both are asked in turn, call by call, by the application in this process: whatever
else the machine does falls on both alike. Both are in memory, and no pages are logged whole after a
checkpoint: the time of the larger one, which has more of them, would be the disk's. In a folder that is kept
they are seeded once.
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
import msgspec
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
# More than what both tenants have.
SETTINGS = {"shared_buffers": "10GB", "full_page_writes": "off"}
MOST = 1.3
# So much longer a call may take whatever the ratio.
FREE_MS = 0.3
FREE_PAGES = 20
_GROWING = ("users", "user_words", "all_enrollments", "courses", "events", "webhook_deliveries")
COUNTED = 5  # calls whose pages are counted


class Statements:
    """How many pages of the database the statements of this process touch, where that is counted."""

    counted = False
    pages = 0


async def _counted(self: Connection, method: Any, text: str, values: Any, **options: Any) -> Any:
    if Statements.counted:
        Statements.pages += await _count_pages(self, text, values)
    return await _run(self, method, text, values, **options)


async def _count_pages(connection: Connection, text: str, values: Any) -> int:
    """Those that it touches: it is carried out, and taken back."""
    if not text.lstrip().startswith(("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "(")):
        return 0
    driver = connection._connection
    outer = driver.is_in_transaction()
    await driver.execute("SAVEPOINT counting" if outer else "BEGIN")
    (row,) = await driver.fetch(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {text}", *values)
    await driver.execute("ROLLBACK TO counting; RELEASE counting" if outer else "ROLLBACK")
    told = row[0] if isinstance(row[0], list) else msgspec.json.decode(row[0])
    return int(told[0]["Plan"]["Shared Hit Blocks"] + told[0]["Plan"]["Shared Read Blocks"])


_run = Connection._run


@dataclass(frozen=True)
class Measured:
    """Of each call the milliseconds; of some the pages of the database."""

    ms: list[float]
    pages: list[int]


@dataclass
class Tenant:
    """A seeded database with an application that answers for it."""

    size: Size
    http: httpx2.AsyncClient

    async def measure(self, call: Call, n: int, cursor: str) -> float:
        """Milliseconds."""
        path, body = call.path(self.size, n), call.body and call.body(self.size, n)
        began = time.perf_counter()
        answer = await self.http.request(call.method, path + cursor, json=body)
        took = time.perf_counter() - began
        failed = body and isinstance(told := answer.json()["data"], dict) and told.get("failed")
        if answer.status_code != call.status or failed:
            raise RuntimeError(f"{call.name}: {answer.status_code} {answer.text[:500]}")
        return took * 1000

    async def pages(self, call: Call, n: int, cursor: str) -> int:
        Statements.counted, Statements.pages = True, 0
        try:
            await self.measure(call, n, cursor)
        finally:
            Statements.counted = False
        return Statements.pages

    async def cursor(self, call: Call) -> str:
        """What leads to the page that the call is to be measured at."""
        cursor = ""
        for _ in range(call.walk):
            page = (await self.http.get(call.path(self.size, 0) + cursor)).json()
            cursor = f"&cursor={page['next_cursor']}"
        return cursor


def main(only: str = "", kept: Path | None = None) -> int:
    """How many bounds are missed. `only` are words with commas between."""
    Connection._run = _counted  # type: ignore[method-assign]
    logging.getLogger("trilha").setLevel(logging.WARNING)
    with server(kept, SETTINGS) as (folder, url):
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
    await _read_whole(url)
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


async def _read_whole(url: str) -> None:
    """So that every table and every index is in memory."""
    owner = await asyncpg.connect(url)
    for table in _GROWING:
        await owner.execute(f"SET enable_indexscan = off; SELECT max({table}::text) FROM {table}")
    await owner.execute(
        "RESET ALL; SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off"
    )
    indexes = await owner.fetch(
        """
        SELECT indrelid::regclass::text AS "table", COALESCE(pg_get_expr(indpred, indrelid), 'true') AS pred,
               (SELECT string_agg(pg_get_indexdef(indexrelid, n, true), ', ' ORDER BY n)
                FROM generate_series(1, indnkeyatts) AS n) AS columns
        FROM pg_index JOIN pg_class AS it ON it.oid = indexrelid
        WHERE indrelid::regclass::text = ANY($1) AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree')
        """,
        list(_GROWING),
    )
    for each in indexes:
        rows = "SELECT FROM {table} WHERE {pred} ORDER BY {columns} OFFSET 0".format(**each)
        await owner.execute(f"SELECT count(*) FROM ({rows}) AS found")
    await owner.close()


async def _take_turns(call: Call, small: Tenant, large: Tenant) -> list[Measured]:
    """What calls take at both, without those of the first tenth, which warm up."""
    turns = [(each, await each.cursor(call), Measured([], [])) for each in (small, large)]
    warm = call.times // 10 + 1
    for n in range(call.times):
        for tenant, cursor, taken in turns[:: -1 if n % 2 else 1]:
            took = await tenant.measure(call, n, cursor)
            if n >= warm:
                taken.ms.append(took)
    for tenant, cursor, taken in turns:
        for n in range(call.times, call.times + COUNTED):
            taken.pages.append(await tenant.pages(call, n, cursor))
    return [taken for _, _, taken in turns]


class Report:
    def __init__(self) -> None:
        self.table = Table("", "ms at 10k", "at 1M", "ratio", "pages at 10k", "at 1M", "")
        for column in self.table.columns[1:]:
            column.justify = "right"
        self.missed = 0

    def add(self, call: Call, small: Measured, large: Measured) -> None:
        """Time may be lost to something else on the machine; pages are what they are."""
        ms = [median(each.ms) for each in (small, large)]
        pages = [median(each.pages) for each in (small, large)]
        wrong = []
        if ms[1] > max(ms[0] * MOST, ms[0] + FREE_MS, call.free_ms):
            wrong.append("time")
        if pages[1] > pages[0] * call.most_pages + FREE_PAGES:
            wrong.append("pages")
        self.missed += bool(wrong)
        name = call.name + (f", page {call.walk + 1}" if call.walk else "")
        row = (f"{ms[0]:.2f}", f"{ms[1]:.2f}", f"{ms[1] / ms[0]:.2f}", f"{pages[0]:,.0f}", f"{pages[1]:,.0f}")
        print(name, *row, *wrong, flush=True)
        self.table.add_row(name, *row, ", ".join(wrong))

    def show(self) -> int:
        Console(width=120).print(self.table)
        print(
            f"at most {MOST} times or {FREE_MS} ms more, and 2.5 times and {FREE_PAGES} pages more; "
            f"bounds missed: {self.missed}"
        )
        return self.missed
