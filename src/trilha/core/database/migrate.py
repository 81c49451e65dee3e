"""Brings the schema up to date: plain SQL files in order of name, each once, each in a transaction."""

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable

import asyncpg

from trilha.core.database import logins, master_keys
from trilha.core.database.connection import Connection
from trilha.core.secrets import Keyring

# An advisory lock, so that one process migrates at a time. Any number will do, the same in every process.
_LOCK = 7_236_914_085


class MigrationError(RuntimeError):
    """The schema cannot be brought up to date. The message is one sentence."""


async def migrate(url: str, keyring: Keyring | None = None, *, with_logins: bool = True) -> list[str]:
    """Runs what has not run; returns the names. Safe from many processes at once.

    With a keyring, it refuses a database that was sealed with another one, and makes the logins of serving
    processes unless they are the operator's own. Raises MigrationError, MasterKeyError, LoginError.
    """
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)
        if connection.get_server_version().major < 16:
            raise MigrationError("PostgreSQL 16 or newer is needed.")
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
        ran = []
        for file in _files():
            sql = file.read_text()
            digest = hashlib.sha256(sql.encode()).hexdigest()
            if file.name in done:
                if done[file.name] != digest:
                    raise MigrationError(
                        f"{file.name} was changed after it ran here; add a new file instead."
                    )
                continue
            async with connection.transaction():
                await connection.execute(sql)
                await connection.execute(
                    "INSERT INTO schema_migrations (name, digest) VALUES ($1, $2)", file.name, digest
                )
            ran.append(file.name)
        if keyring:
            await master_keys.keep(connection, keyring)
            if with_logins:
                await logins.prepare(connection, keyring)
        return ran
    finally:
        await connection.close()


async def pending(unscoped: Connection) -> list[str]:
    """The names of the files that have not run yet."""
    try:
        done = {row["name"] for row in await unscoped.rows("SELECT name FROM schema_migrations")}
    except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError):
        done = set()
    return [file.name for file in _files() if file.name not in done]


def _files() -> list[Traversable]:
    folder = files("trilha.migrations")
    return sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
