"""Runs one migration file, so that requests keep running beside it.

A file runs in one transaction. It waits only briefly for a lock, because every later statement on that table
waits behind it, and then tries again. A file whose first line is `OUTSIDE` runs without a transaction, as
CREATE INDEX CONCURRENTLY requires; it can run again after it was killed.
"""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import asyncpg

from trilha.core import logs

OUTSIDE = "-- outside a transaction"
_STATEMENT_END = re.compile(r";\s*$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
_CONCURRENT_INDEX = re.compile(r"CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)")
_TRIES = 12
_Record = Callable[[], Awaitable[None]]


class MigrationError(RuntimeError):
    """The schema cannot be migrated. The message is one sentence."""


@dataclass(frozen=True, kw_only=True)
class MigrationTimeouts:
    """In seconds: for one try to get a lock, for one statement (0 is no limit), and between two tries."""

    lock: float = 5
    statement: float = 900
    pause: float = 5


DEFAULT_TIMEOUTS = MigrationTimeouts()


def digest_of(sql: str) -> str:
    return hashlib.sha256(sql.encode()).hexdigest()


async def run_file(
    connection: Any, name: str, sql: str, timeouts: MigrationTimeouts, digest: str | None = None
) -> None:
    """Runs a file and records it, with the digest of another text if that is given. Raises MigrationError if
    it takes too long.
    """
    record = partial(_record, connection, name, digest or digest_of(sql))
    try:
        if sql.startswith(OUTSIDE):
            await _run_outside(connection, sql)
            await record()
        else:
            await _run_patiently(connection, name, sql, timeouts, record)
    except asyncpg.QueryCanceledError:
        raise MigrationError(
            f"{name} took longer than {timeouts.statement:g} seconds for one statement and was undone: raise "
            "TRILHA_MIGRATION_STATEMENT_TIMEOUT and run `trilha migrate` again."
        ) from None


async def _run_patiently(
    connection: Any, name: str, sql: str, timeouts: MigrationTimeouts, record: _Record
) -> None:
    for attempt in range(1, _TRIES + 1):
        try:
            await _run_in_transaction(connection, sql, timeouts, record)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            logs.trouble("a migration waits for a lock", file=name, attempt=attempt)
            if attempt < _TRIES:
                await asyncio.sleep(timeouts.pause)
        else:
            return
    raise MigrationError(
        f"{name} did not get a lock in {_TRIES} tries of {timeouts.lock:g} seconds and changed nothing: end "
        "the long transaction that holds it (pg_stat_activity shows it), and run `trilha migrate` again."
    )


async def _run_in_transaction(
    connection: Any, sql: str, timeouts: MigrationTimeouts, record: _Record
) -> None:
    async with connection.transaction():
        await connection.execute(
            f"SET LOCAL lock_timeout = {round(timeouts.lock * 1000)};"
            f" SET LOCAL statement_timeout = {round(timeouts.statement * 1000)}"
        )
        await connection.execute(sql)
        await record()


async def _run_outside(connection: Any, sql: str) -> None:
    for statement in split_statements(sql):
        if index := _CONCURRENT_INDEX.match(statement):
            await _drop_invalid(connection, index[1])
        await connection.execute(statement)


def split_statements(sql: str) -> Iterator[str]:
    """Splits at semicolons that end a line, and leaves out comment lines."""
    for part in _STATEMENT_END.split(_COMMENT.sub("", sql)):
        if statement := part.strip():
            yield statement


async def _drop_invalid(connection: Any, index: str) -> None:
    """Drops what an interrupted CREATE INDEX CONCURRENTLY leaves behind."""
    is_invalid = "SELECT NOT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)"
    if await connection.fetchval(is_invalid, index):
        await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index}")


async def _record(connection: Any, name: str, digest: str) -> None:
    await connection.execute("INSERT INTO schema_migrations (name, digest) VALUES ($1, $2)", name, digest)
