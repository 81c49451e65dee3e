"""Migrates the schema: plain SQL files in order of name, each once."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import asyncpg

from trilha.core.database import logins, master_keys, older_versions, poolers
from trilha.core.database.connection import Connection
from trilha.core.database.migration_files import (
    DEFAULT_TIMEOUTS,
    MigrationError,
    MigrationTimeouts,
    digest_of,
    run_file,
)
from trilha.core.secrets import Keyring

# The advisory lock that lets one process migrate at a time. The number is arbitrary but must not change.
_LOCK = 7_236_914_085
_LOCK_PAUSE = 0.1  # seconds


async def migrate(
    url: str,
    keyring: Keyring | None = None,
    *,
    with_logins: bool = True,
    names: Collection[str] | None = None,
    timeouts: MigrationTimeouts = DEFAULT_TIMEOUTS,
) -> list[str]:
    """Runs pending migrations and returns their names. Many processes may call it at once.

    With `names`, it runs only these, so that the schema is that of a backup.

    With a keyring, it refuses a database that was sealed with another one, and creates the logins of
    serving processes, unless the operator manages them. Raises MigrationError, MasterKeyError, LoginError,
    PoolerError.
    """
    async with hold_lock(url):
        connection = await asyncpg.connect(url)
        try:
            return await _migrate(connection, keyring, with_logins, names, timeouts)
        finally:
            await connection.close()


@asynccontextmanager
async def hold_lock(url: str) -> AsyncIterator[None]:
    """Holds the lock in a transaction on its own connection. A pooler that lends connections per transaction
    would keep a session's lock after the command ended, and every later migration would wait for it.
    """
    connection = await asyncpg.connect(url)
    try:
        while not await _try_lock(connection):  # noqa: ASYNC110 - another process holds it
            await asyncio.sleep(_LOCK_PAUSE)
        yield
    finally:
        await connection.close()


async def _try_lock(connection: Any) -> bool:
    """Begins a transaction that holds the lock, or returns False.

    The holder's CREATE INDEX CONCURRENTLY waits for every snapshot, and so for everybody who waits for the
    lock within a statement. Therefore we ask again and again, and without parameters, because an open portal
    would keep a snapshot too.
    """
    await connection.execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0")
    if await connection.execute(f"SELECT WHERE pg_try_advisory_xact_lock({_LOCK})") == "SELECT 1":
        return True
    await connection.execute("ROLLBACK")
    return False


async def _migrate(
    connection: Any,
    keyring: Keyring | None,
    with_logins: bool,
    names: Collection[str] | None,
    timeouts: MigrationTimeouts,
) -> list[str]:
    if connection.get_server_version().major < 16:
        raise MigrationError("PostgreSQL 16 or newer is needed.")
    await poolers.check(connection)
    if keyring:
        await master_keys.check_as_owner(connection, keyring)
    await connection.execute(
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            name text PRIMARY KEY, digest text NOT NULL, run_at timestamptz NOT NULL DEFAULT now())
        """
    )
    done = {
        row["name"]: row["digest"]
        for row in await connection.fetch("SELECT name, digest FROM schema_migrations")
    }
    await older_versions.add_missing_functions(connection)
    ran = []
    for file in _find_files(names):
        sql = file.read_text()
        if file.name in done:
            if done[file.name] != digest_of(sql):
                raise MigrationError(f"{file.name} was changed after it ran here; add a new file instead.")
            continue
        text = older_versions.read_file(file, connection)
        await run_file(connection, file.name, text, timeouts, digest=digest_of(sql))
        ran.append(file.name)
    if keyring:
        await master_keys.keep(connection, keyring)
        if with_logins:
            await logins.prepare(connection, keyring)
    return ran


async def pending(unscoped: Connection) -> list[str]:
    """Returns the names of the pending files."""
    try:
        done = {row["name"] for row in await unscoped.rows("SELECT name FROM schema_migrations")}
    except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError):
        done = set()
    return [file.name for file in _files() if file.name not in done]


def _find_files(names: Collection[str] | None) -> list[Traversable]:
    """Raises MigrationError if a name belongs to another version of Trilha."""
    every = _files()
    if names is None:
        return every
    if missing := set(names) - {file.name for file in every}:
        raise MigrationError(f"This needs a newer version of Trilha, which has the migration {min(missing)}.")
    return [file for file in every if file.name in names]


def _files() -> list[Traversable]:
    folder = files("trilha.migrations")
    return sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
