"""Migrates the schema: plain SQL files in order of name, each once and in its own transaction."""

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable

import asyncpg

from trilha.core.database import logins, master_keys
from trilha.core.database.connection import Connection
from trilha.core.secrets import Keyring

# The advisory lock that lets one process migrate at a time. The number is arbitrary but must not change.
_LOCK = 7_236_914_085


class MigrationError(RuntimeError):
    """The schema cannot be migrated. The message is one sentence."""


async def migrate(url: str, keyring: Keyring | None = None, *, with_logins: bool = True) -> list[str]:
    """Runs pending migrations and returns their names. Many processes may call it at once.

    With a keyring, it refuses a database that was sealed with another one, and creates the logins of
    serving processes, unless the operator manages them. Raises MigrationError, MasterKeyError, LoginError.
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
    """Returns the names of the pending files."""
    try:
        done = {row["name"] for row in await unscoped.rows("SELECT name FROM schema_migrations")}
    except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError):
        done = set()
    return [file.name for file in _files() if file.name not in done]


def _files() -> list[Traversable]:
    folder = files("trilha.migrations")
    return sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
