"""The lock that lets one process migrate at a time, and what a connection pooler sees of it."""

import asyncio
from typing import Any

import asyncpg

from trilha.core.database import Database
from trilha.core.database.migrate import migrate

_HOLDERS = """
    SELECT a.state FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
"""
_WAITING = """
    SELECT count(*) FROM pg_locks WHERE relation = 'schema_migrations'::regclass AND NOT granted
"""


async def states_while_migrating(observer: Any) -> list[str]:
    while not await observer.fetchval(_WAITING):
        pass
    return [row["state"] for row in await observer.fetch(_HOLDERS)]


async def test_a_transaction_holds_the_lock_of_migrations(
    database: Database, database_url: str, admin_url: str
) -> None:
    """A session's lock would stay with the connection that a pooler lent to the command."""
    blocker, observer = await asyncpg.connect(admin_url), await asyncpg.connect(admin_url)
    try:
        async with asyncio.timeout(30):
            async with blocker.transaction():
                await blocker.execute("LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE")
                migrating = asyncio.create_task(migrate(database_url))
                states = await states_while_migrating(observer)
            assert "idle in transaction" in states
            assert await migrating == []
        assert not await observer.fetch(_HOLDERS)
    finally:
        await blocker.close()
        await observer.close()
