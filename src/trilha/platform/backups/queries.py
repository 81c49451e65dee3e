"""The SQL of backups, as the database's owner."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from trilha.core.clock import Clock
from trilha.core.database.codecs import set_codecs
from trilha.platform.backups.destination import BackupError

# The advisory lock that lets one process make or prune backups at a time. The number must not change.
_LOCK = 7_236_914_086
_MAX_RUNS = 100


class Run:
    """A run in progress, as it is recorded."""

    stored_bytes = 0


@asynccontextmanager
async def lock(url: str) -> AsyncIterator[None]:
    """Raises BackupError if another backup is being made or removed."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            if not await connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", _LOCK):
                raise BackupError("Another command is making or removing a backup; wait until it has ended.")
            yield
    finally:
        await connection.close()


@asynccontextmanager
async def record_run(url: str, id: str, clock: Clock) -> AsyncIterator[Run]:
    """Records a run and its outcome, for `trilha status`."""
    run = Run()
    # No other run is alive, because this one holds the lock.
    await _execute(
        url,
        "UPDATE backup_runs SET outcome = 'FAILED', finished_at = $1, error = 'Killed' "
        "WHERE outcome = 'RUNNING'",
        clock(),
    )
    await _execute(url, "INSERT INTO backup_runs (id, started_at) VALUES ($1, $2)", id, clock())
    try:
        yield run
    except (Exception, asyncio.CancelledError) as error:
        await _finish(url, id, clock, "FAILED", 0, type(error).__name__)
        raise
    await _finish(url, id, clock, "DONE", run.stored_bytes, None)


async def _finish(
    url: str, id: str, clock: Clock, outcome: str, stored_bytes: int, error: str | None
) -> None:
    await _execute(
        url,
        "UPDATE backup_runs SET finished_at = $2, outcome = $3, stored_bytes = $4, error = $5 WHERE id = $1",
        *(id, clock(), outcome, stored_bytes, error),
    )
    oldest = f"SELECT id FROM backup_runs ORDER BY started_at DESC OFFSET {_MAX_RUNS}"  # noqa: S608
    await _execute(url, f"DELETE FROM backup_runs WHERE id IN ({oldest})")  # noqa: S608


async def note_verified(url: str, id: str, clock: Clock) -> None:
    await _execute(url, "UPDATE backup_runs SET verified_at = $2 WHERE id = $1", id, clock())


async def load_sequences(connection: Any) -> dict[str, int]:
    """Returns the next values of all sequences."""
    names = await connection.fetch(
        """
        SELECT sequencename AS name FROM pg_sequences WHERE schemaname = current_schema() ORDER BY 1
        """
    )
    values = {}
    for row in names:
        value, is_called = await connection.fetchrow(f'SELECT last_value, is_called FROM "{row["name"]}"')  # noqa: S608
        values[row["name"]] = value + is_called
    return values


async def _execute(url: str, sql: str, *values: Any) -> None:
    connection = await asyncpg.connect(url)
    try:
        await set_codecs(connection)
        await connection.execute(sql, *values)
    finally:
        await connection.close()
