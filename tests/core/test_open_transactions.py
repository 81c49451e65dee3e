"""Transactions that are begun before they are asked for, and statements that need none."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import asyncpg
import pytest

from conftest import Clock, World
from trilha.core.database import OWN_TENANT, Database
from trilha.core.database.failures import NotCommitted
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import Keyring

_ADD = """
    INSERT INTO business_units (tenant_id, name, code, created_at, updated_at)
    VALUES (:tenant, :name, :name, :now, :now)
"""
_ADD_OWN = f"""
    INSERT INTO business_units (tenant_id, name, code, created_at, updated_at)
    SELECT own.tenant_id, :name, :name, :now, :now FROM {OWN_TENANT}
"""
_NAMES = "SELECT name FROM business_units WHERE tenant_id = :tenant ORDER BY created_at, name"
_SEEN = "SELECT count(*) FROM business_units WHERE tenant_id = $1"


@pytest.fixture
async def owner_sees(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.fixture
async def narrow(database_url: str, keyring: Keyring, clock: Clock) -> AsyncIterator[Database]:
    """A database with one connection for tenants: each transaction comes upon what the one before left."""
    database = Database(serving_urls(database_url, keyring), clock, keyring, size=1)
    await database.open()
    yield database
    await database.close()


async def _names(database: Database, world: World) -> list[str]:
    async with database.transaction(world.tenant.id, read_only=True) as tx:
        return [row["name"] for row in await tx.rows(_NAMES)]


async def _add(database: Database, world: World, name: str) -> None:
    async with database.transaction(world.tenant.id) as tx:
        await tx.execute(_ADD, name=name)


def _is_open(narrow: Database) -> bool:
    """Whether a transaction is open on the one connection, which nobody uses."""
    (connection,) = narrow._app._idle
    return bool(connection.is_in_transaction())


async def _leave_open(narrow: Database, world: World) -> list[str]:
    """Makes changes until the next one's transaction is open; what they added. The second does, unless the
    machine is busy."""
    added: list[str] = []
    while not added or not _is_open(narrow):
        assert len(added) < 50
        added.append(f"{len(added):02}")
        await _add(narrow, world, added[-1])
    return added


async def test_what_is_committed_with_the_next_begin_is_committed(
    narrow: Database, world: World, owner_sees: asyncpg.Connection
) -> None:
    added = await _leave_open(narrow, world)
    assert len(added) > 1
    assert await owner_sees.fetchval(_SEEN, world.tenant.id) == len(added)


async def test_a_change_now_and_then_begins_nothing(narrow: Database, world: World) -> None:
    await _add(narrow, world, "A")
    assert not _is_open(narrow)


async def test_a_transaction_that_nobody_takes_over_is_ended(narrow: Database, world: World) -> None:
    await _leave_open(narrow, world)
    ending = narrow._open._ending
    assert ending is not None
    await asyncio.wait_for(ending, 5)
    assert not _is_open(narrow)


async def test_the_next_change_goes_on_in_it(narrow: Database, world: World) -> None:
    added = await _leave_open(narrow, world)
    await _add(narrow, world, "A")
    assert await _names(narrow, world) == [*added, "A"]


async def test_another_tenant_does_not(narrow: Database, world: World, stranger: World) -> None:
    added = await _leave_open(narrow, world)
    await _add(narrow, stranger, "S")
    assert await _names(narrow, stranger) == ["S"]
    assert await _names(narrow, world) == added


async def test_a_read_that_comes_upon_it_changes_nothing(narrow: Database, world: World) -> None:
    added = await _leave_open(narrow, world)
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        async with narrow.transaction(world.tenant.id, read_only=True) as tx:
            await tx.execute(_ADD, name="A")
    assert await _names(narrow, world) == added


async def test_what_is_rolled_back_is_gone_and_only_that(narrow: Database, world: World) -> None:
    added = await _leave_open(narrow, world)
    with suppress(ZeroDivisionError):
        async with narrow.transaction(world.tenant.id) as tx:
            await tx.execute(_ADD, name="C")
            raise ZeroDivisionError
    await _add(narrow, world, "D")
    assert await _names(narrow, world) == [*added, "D"]


async def _add_twice(database: Database, world: World, name: str) -> None:
    """As if once were enough."""
    async with database.transaction(world.tenant.id) as tx:
        await tx.execute(_ADD, name=name)
        with suppress(asyncpg.UniqueViolationError):
            await tx.execute(_ADD, name=name)


async def test_a_failure_that_nobody_raised_is_not_committed(narrow: Database, world: World) -> None:
    added = await _leave_open(narrow, world)
    with pytest.raises(NotCommitted):
        await _add_twice(narrow, world, "C")
    assert await _names(narrow, world) == added


async def test_one_insert_needs_no_transaction(
    narrow: Database, world: World, owner_sees: asyncpg.Connection
) -> None:
    async with narrow.autocommit(world.tenant.id) as tx:
        await tx.execute(_ADD_OWN, name="A")
        assert await owner_sees.fetchval(_SEEN, world.tenant.id) == 1


async def test_one_insert_ends_what_is_open(narrow: Database, world: World, stranger: World) -> None:
    added = await _leave_open(narrow, stranger)
    async with narrow.autocommit(world.tenant.id) as tx:
        await tx.execute(_ADD_OWN, name="A")
    assert await _names(narrow, world) == ["A"]
    # Now what the reading left open.
    async with narrow.autocommit(stranger.tenant.id) as tx:
        await tx.execute(_ADD_OWN, name="S")
    assert await _names(narrow, stranger) == [*added, "S"]


@pytest.mark.parametrize("statement", [_ADD, _NAMES, "DELETE FROM business_units WHERE tenant_id = :tenant"])
async def test_nothing_else_goes_without_a_transaction(
    narrow: Database, world: World, statement: str
) -> None:
    await _add(narrow, world, "A")
    for name in ("B", "C"):  # the second time on a connection that an INSERT has set the tenant of
        with pytest.raises(asyncpg.PostgresError):
            async with narrow.autocommit(world.tenant.id) as tx:
                await tx.execute(statement, **({"name": "Z"} if statement == _ADD else {}))
        async with narrow.autocommit(world.tenant.id) as tx:
            await tx.execute(_ADD_OWN, name=name)
    assert await _names(narrow, world) == ["A", "B", "C"]
