"""The queries for due work and the claim read a bounded number of pages, whatever is stored and planned."""

import hashlib
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from suite_database import with_database
from trilha.core.database import Database
from trilha.core.database.codecs import set_codecs
from trilha.core.database.connection import compile_sql
from trilha.core.database.migrate import migrate
from trilha.core.database.searches import MAX_TENANTS
from trilha.core.jobs import TenantJob
from trilha.platform.mail import queries as mail
from trilha.platform.webhooks.delivery import claims, queue
from trilha.settings import Settings
from trilha.worker import all_jobs

SEED = Path(__file__).with_name("backlog.sql").read_text()
SMALL = {"tenants": 100, "finished": 10_000, "due": 3_000}
LARGE = {"tenants": 1_000, "finished": 1_000_000, "due": 20_000}
SEARCHES = {job.name: job.due.everywhere for job in all_jobs(Settings()) if isinstance(job, TenantJob)}
SEARCHES["find what is due"] = queue.FIND_DUE.everywhere
SEARCHES["find mail that is due"] = mail.FIND_DUE.everywhere
# Pages of 8 KiB, cached or not. A query by a window looks into four indexes at each step.
MOST_PAGES, MOST_MS = 5_000, 5.0


@pytest.fixture(scope="module", params=["analyzed", "never analyzed", "analyzed when empty"])
async def filled(
    request: pytest.FixtureRequest, admin_url: str, database: Database
) -> AsyncIterator[asyncpg.Connection]:
    """Creates a separate database with the planner's statistics."""
    name = f"backlog_{uuid4().hex}"
    server = await asyncpg.connect(admin_url)
    await server.execute(f"CREATE DATABASE {name}")
    url = with_database(admin_url, name)
    await migrate(url)
    connection = await asyncpg.connect(url)
    await set_codecs(connection)
    for row in await connection.fetch("SELECT relname FROM pg_class WHERE relkind = 'r' AND relrowsecurity"):
        await connection.execute(f"ALTER TABLE {row['relname']} SET (autovacuum_enabled = false)")
    if request.param == "analyzed when empty":
        await connection.execute("ANALYZE")
    size = LARGE if request.config.option.markexpr == "long" else SMALL
    await connection.execute(SEED.format(**size))
    if request.param == "analyzed":
        await connection.execute("ANALYZE")
    await connection.execute("CHECKPOINT")
    yield connection
    await connection.close()
    await server.execute(f"DROP DATABASE {name}")
    await server.close()


async def explain(connection: asyncpg.Connection, sql: str, **params: Any) -> tuple[int, float]:
    """Returns the pages that a statement touches, and its milliseconds with a warm cache.

    The statement is timed as a whole, because timing each step takes about as long again.
    """
    text, names = compile_sql(sql)
    for _ in range(2):
        (plan,) = json.loads(
            await connection.fetchval(
                f"EXPLAIN (ANALYZE, TIMING OFF, BUFFERS, FORMAT JSON) {text}",
                *(params[name] for name in names),
            )
        )
    root = plan["Plan"]
    return root["Shared Hit Blocks"] + root["Shared Read Blocks"], plan["Execution Time"]


@pytest.mark.parametrize("name", SEARCHES)
async def test_a_search_reads_little(filled: asyncpg.Connection, name: str) -> None:
    pages, _ = await search(filled, name)
    assert pages <= MOST_PAGES


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", SEARCHES)
async def test_a_search_is_quick(filled: asyncpg.Connection, name: str) -> None:
    pages, took = min(
        [await search(filled, name) for _ in range(5)], key=lambda pages_and_ms: pages_and_ms[1]
    )
    print(f"{name}: {pages} pages, {took:.2f} ms")
    assert pages <= MOST_PAGES
    assert took <= MOST_MS


@pytest.mark.parametrize("endpoint", ["1 e1", "1 e10"])
async def test_a_claim_reads_what_it_takes(filled: asyncpg.Connection, endpoint: str) -> None:
    """However many are due for the endpoint, and nothing while it is inactive."""
    id = UUID(hashlib.md5(endpoint.encode(), usedforsecurity=False).hexdigest())
    tenant = UUID(hashlib.md5(b"t1", usedforsecurity=False).hexdigest())
    transaction = filled.transaction()
    await transaction.start()
    await filled.execute(f"SET LOCAL ROLE trilha_app; SET LOCAL trilha.tenant = '{tenant}'")
    now = datetime.now(UTC)
    pages, _ = await explain(
        filled,
        claims._CLAIM,
        tenant=tenant,
        now=now,
        until=now + timedelta(seconds=30),
        worker=uuid4(),
        endpoints=[id],
        counts=[10],
        holds=[False],
        limit=445,
        retry_limit=100,
        in_flight_limits=[10],
    )
    held = await filled.fetchval(
        "SELECT count(*) FROM webhook_deliveries WHERE tenant_id = $1 AND claimed_until > $2", tenant, now
    )
    await transaction.rollback()
    # Explained twice: ten each, or what the first one has left.
    assert 10 <= held <= 20 if endpoint == "1 e1" else held == 0
    assert pages <= 2_000


async def search(filled: asyncpg.Connection, name: str) -> tuple[int, float]:
    now = datetime.now(UTC)
    ages = dict.fromkeys(
        ("held_since", "deliveries", "events", "mail", "before", "yesterday"), now - timedelta(days=7)
    )
    async with filled.transaction():
        await filled.execute("SET LOCAL ROLE trilha_unscoped")
        homes = await filled.fetch("SELECT tenant_id FROM tenant_homes LIMIT $1", MAX_TENANTS)
        return await explain(
            filled,
            SEARCHES[name],
            now=now,
            start=uuid4(),
            tenants=[home["tenant_id"] for home in homes],
            worker=uuid4(),
            full=list[UUID](),
            limit=1_000,
            **ages,
        )
