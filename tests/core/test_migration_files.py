"""Migrations beside traffic: brief waits for locks, and files that run outside a transaction."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from docs.migrations import MIGRATIONS, find_problems

from suite_database import with_database
from trilha.core.database.migrate import hold_lock
from trilha.core.database.migration_files import OUTSIDE, MigrationError, MigrationTimeouts, run_file

BRIEF = MigrationTimeouts(lock=0.01, statement=30, pause=0)
INDEX = f"{OUTSIDE}\n-- why\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS once ON people (name);\n"
IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('once')"
NAMES = "SELECT name FROM schema_migrations"


@pytest.fixture
async def connections(admin_url: str) -> AsyncIterator[Any]:
    """Returns the URL of a database with one table, and two connections to it."""
    name = f"files_{uuid4().hex}"
    admin = await asyncpg.connect(admin_url)
    await admin.execute(f"CREATE DATABASE {name}")
    url = with_database(admin_url, name)
    connections = [await asyncpg.connect(url) for _ in range(2)]
    await connections[0].execute(
        "CREATE TABLE schema_migrations (name text PRIMARY KEY, digest text NOT NULL); "
        "CREATE TABLE people (name text NOT NULL)"
    )
    yield url, *connections
    for connection in connections:
        await connection.close()
    await admin.execute(f"DROP DATABASE {name}")
    await admin.close()


async def test_a_held_lock_changes_nothing_and_is_named(connections: Any) -> None:
    _, connection, holder = connections
    async with holder.transaction():
        await holder.execute("LOCK TABLE people IN ACCESS SHARE MODE")
        with pytest.raises(MigrationError, match=r"a\.sql did not get a lock in 12 tries of 0\.01 seconds"):
            await run_file(connection, "a.sql", "ALTER TABLE people ADD COLUMN age int", BRIEF)
    assert await connection.fetch(NAMES) == []
    await run_file(connection, "a.sql", "ALTER TABLE people ADD COLUMN age int", BRIEF)
    assert await connection.fetchval(NAMES) == "a.sql"
    assert await connection.fetchval("SHOW lock_timeout") == "0"


async def test_a_lock_that_becomes_free_is_taken(connections: Any) -> None:
    _, connection, holder = connections
    patient = MigrationTimeouts(lock=0.01, statement=30, pause=0.05)
    async with asyncio.TaskGroup() as group, holder.transaction():
        await holder.execute("LOCK TABLE people IN ACCESS SHARE MODE")
        run = run_file(connection, "a.sql", "ALTER TABLE people ADD COLUMN age int", patient)
        migration = group.create_task(run)
        await asyncio.wait({migration}, timeout=0.1)
        assert not migration.done()
    assert await connection.fetchval(NAMES) == "a.sql"


async def test_a_slow_statement_is_stopped(connections: Any) -> None:
    _, connection, _ = connections
    brief = MigrationTimeouts(lock=1, statement=0.01, pause=0)
    with pytest.raises(MigrationError, match="raise TRILHA_MIGRATION_STATEMENT_TIMEOUT"):
        await run_file(connection, "a.sql", "SELECT count(*) FROM generate_series(1, 1000000000)", brief)
    assert await connection.fetch(NAMES) == []


async def test_an_interrupted_index_is_built_again(connections: Any) -> None:
    _, connection, _ = connections
    await connection.execute("INSERT INTO people VALUES ('Ana'), ('Ana')")
    with pytest.raises(asyncpg.UniqueViolationError):
        await run_file(connection, "index.sql", INDEX, BRIEF)
    assert await connection.fetchval(IS_VALID) is False
    await connection.execute("DELETE FROM people")
    await run_file(connection, "index.sql", INDEX, BRIEF)
    assert await connection.fetchval(IS_VALID) is True
    assert await connection.fetchval(NAMES) == "index.sql"


async def test_an_index_is_built_beside_the_migrations_lock(connections: Any) -> None:
    url, connection, _ = connections

    async def wait_for_lock() -> None:
        async with hold_lock(url):
            pass

    async with asyncio.timeout(30), asyncio.TaskGroup() as group, hold_lock(url):
        waiting = group.create_task(wait_for_lock())
        await asyncio.sleep(0.3)
        assert not waiting.done()
        await run_file(connection, "index.sql", INDEX, BRIEF)
    assert await connection.fetchval(IS_VALID) is True


@pytest.mark.parametrize(
    ("sql", "rule"),
    [
        ("ALTER TABLE users RENAME COLUMN name TO full_name;", "renaming-column"),
        ("ALTER TABLE users DROP COLUMN name;", "ban-drop-column"),
        ("CREATE INDEX ON users (name);", "require-concurrent-index-creation"),
        ("CREATE INDEX CONCURRENTLY i ON users (name);", "begin the file with `-- outside a transaction`"),
        (f"{OUTSIDE}\nCREATE INDEX CONCURRENTLY i ON users (name);", "must be able to run twice"),
    ],
)
def test_the_linter_refuses(tmp_path: Path, sql: str, rule: str) -> None:
    path = tmp_path / "0999_new.sql"
    path.write_text(f"{sql}\n")
    assert rule in "".join(find_problems(path))


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE users ADD COLUMN nickname text;",
        "CREATE TABLE pets (id uuid PRIMARY KEY, name text);\nCREATE INDEX ON pets (name);",
        INDEX,
    ],
)
def test_the_linter_allows(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "0999_new.sql"
    path.write_text(f"{sql}\n")
    assert find_problems(path) == []


def test_the_migrations_are_there() -> None:
    assert (MIGRATIONS / "0001_foundation.sql").exists()
