"""A transaction leaves nothing to the next one on the same connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import asyncpg
import pytest

from conftest import Clock, World
from trilha.core.database import Database
from trilha.core.database.failures import NotCommitted
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import Keyring

_ADD = """
    INSERT INTO business_units (tenant_id, name, code, created_at, updated_at)
    VALUES (:tenant, :name, :name, :now, :now)
"""
_NAMES = "SELECT name FROM business_units WHERE tenant_id = :tenant ORDER BY created_at, name"
_PID = "SELECT pg_backend_pid(), :tenant::uuid"


@pytest.fixture
async def narrow(database_url: str, keyring: Keyring, clock: Clock) -> AsyncIterator[Database]:
    """Opens a database with one connection for tenants, so that each transaction follows another on it."""
    database = Database(serving_urls(database_url, keyring), clock, keyring, size=1)
    await database.open()
    yield database
    await database.close()


async def _names(database: Database, world: World) -> list[str]:
    async with database.transaction(world.tenant.id, read_only=True) as tx:
        return [row["name"] for row in await tx.rows(_NAMES)]


async def _pid(database: Database, world: World) -> int:
    async with database.transaction(world.tenant.id) as tx:
        pid: int = await tx.value(_PID)
        return pid


async def test_one_tenants_rows_are_not_the_next_ones(
    narrow: Database, world: World, stranger: World
) -> None:
    for each, name in ((world, "A"), (stranger, "S")):
        async with narrow.transaction(each.tenant.id) as tx:
            await tx.execute(_ADD, name=name)
    assert (await _names(narrow, world), await _names(narrow, stranger)) == (["A"], ["S"])


async def test_what_raises_is_rolled_back(narrow: Database, world: World) -> None:
    with suppress(ZeroDivisionError):
        async with narrow.transaction(world.tenant.id) as tx:
            await tx.execute(_ADD, name="A")
            raise ZeroDivisionError
    assert await _names(narrow, world) == []


async def test_a_failure_that_nobody_raised_is_not_committed(narrow: Database, world: World) -> None:
    async def add_twice() -> None:
        """Adds the same number twice."""
        async with narrow.transaction(world.tenant.id) as tx:
            await tx.execute(_ADD, name="A")
            with suppress(asyncpg.UniqueViolationError):
                await tx.execute(_ADD, name="A")

    with pytest.raises(NotCommitted):
        await add_twice()
    assert await _names(narrow, world) == []


async def test_a_read_changes_nothing(narrow: Database, world: World) -> None:
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        async with narrow.transaction(world.tenant.id, read_only=True) as tx:
            await tx.execute(_ADD, name="A")
    assert await _names(narrow, world) == []


async def test_what_is_cancelled_leaves_a_connection_that_works(narrow: Database, world: World) -> None:
    started = asyncio.Event()

    async def wait_long() -> None:
        async with narrow.transaction(world.tenant.id) as tx:
            await tx.execute(_ADD, name="A")
            started.set()
            await tx.value("SELECT pg_sleep(60), :tenant::uuid")

    waiting = asyncio.create_task(wait_long())
    await started.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await asyncio.wait_for(_names(narrow, world), 10) == []


async def test_a_transaction_that_is_over_answers_nothing(narrow: Database, world: World) -> None:
    async with narrow.transaction(world.tenant.id) as tx:
        await tx.rows(_NAMES)
    with pytest.raises(asyncpg.InterfaceError):
        await tx.rows(_NAMES)


async def test_a_connection_that_died_while_idle_is_replaced(
    narrow: Database, world: World, admin_url: str
) -> None:
    pid = await _pid(narrow, world)
    owner = await asyncpg.connect(admin_url)
    await owner.execute("SELECT pg_terminate_backend($1, 10000)", pid)
    await owner.close()
    assert await _pid(narrow, world) != pid


async def test_transactions_take_turns_on_one_connection(narrow: Database, world: World) -> None:
    pids = await asyncio.gather(*(_pid(narrow, world) for _ in range(20)))
    assert len(set(pids)) == 1
