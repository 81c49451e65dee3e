"""Two pools of connections, and the transactions on them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg

from trilha.core.clock import Clock
from trilha.core.credentials import SYSTEM, Actor
from trilha.core.database.codecs import set_codecs
from trilha.core.database.connection import Tx, Unscoped
from trilha.core.database.pool import Pool
from trilha.core.secrets import Keyring

APP_ROLE = "trilha_app"
UNSCOPED_ROLE = "trilha_unscoped"

# Raised when the server went away or cannot be reached; nothing was committed.
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    # The server said that it shuts down, and that was read when a statement was about to be sent.
    asyncpg.InternalClientError,
    OSError,
)
# Two transactions met; the one that lost may simply run again.
CLASHED = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)


class NotCommitted(Exception):
    """COMMIT came back as ROLLBACK: a statement had failed and its error was swallowed."""


class Database:
    """Two pools: the role that works inside a tenant, and the role of statements without one."""

    def __init__(self, url: str, clock: Clock, keyring: Keyring, *, size: int = 10) -> None:
        self._app = Pool(partial(_connect, url, APP_ROLE), size)
        # Counters and times of last use may lose a moment when the server crashes; requests need not wait.
        self._unscoped = Pool(partial(_connect, url, UNSCOPED_ROLE, synchronous_commit="off"), 2)
        self.clock = clock
        self.keyring = keyring

    async def open(self) -> None:
        await self._app.open()
        await self._unscoped.open()

    async def close(self) -> None:
        await self._app.close()
        await self._unscoped.close()

    def transaction(
        self,
        tenant_id: UUID,
        *,
        read_only: bool = False,
        clock: Clock | None = None,
        actor: Actor = SYSTEM,
    ) -> "_Transaction":
        """Commits when the block ends, rolls back when it raises. `clock` replaces the usual one."""
        tx = partial(Tx, clock=clock or self.clock, tenant_id=tenant_id, keyring=self.keyring, actor=actor)
        return _Transaction(self._app, tenant_id, read_only, tx)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[Unscoped]:
        """Statements without a tenant, each its own transaction."""
        async with self._unscoped.connection() as connection:
            yield Unscoped(connection, self.clock)


class _Transaction:
    """From BEGIN to COMMIT. A class, because a generator costs more than the pool does."""

    def __init__(self, pool: Pool, tenant_id: UUID, read_only: bool, tx: Callable[[Any], Tx]) -> None:
        self._pool = pool
        self._tenant_id = tenant_id
        self._read_only = read_only
        self._tx = tx
        self._connection: Any = None

    async def __aenter__(self) -> Tx:
        try:
            await self._open()
        except LOST:
            # It died idle in the pool, and so did its neighbours.
            self._pool.renew()
            await self._open()
        return self._tx(self._connection)

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        try:
            if error is not None:
                await _roll_back(self._connection)
            elif not (self._read_only and self._pool.awaited):
                await self._commit()
        finally:
            self._pool.release(self._connection)

    async def _commit(self) -> None:
        try:
            outcome = await self._connection.execute("COMMIT")
        except BaseException:
            # Committed or not, nobody knows: this connection must not serve another transaction.
            self._connection.terminate()
            raise
        if outcome != "COMMIT":
            raise NotCommitted(outcome)

    async def _open(self) -> None:
        self._connection = await self._pool.acquire()
        # One that only read was handed over as it was, to be ended in the same round trip.
        end = "COMMIT; " if self._connection.is_in_transaction() else ""
        begin = "BEGIN READ ONLY" if self._read_only else "BEGIN"
        try:
            await self._connection.execute(f"{end}{begin}; SET LOCAL trilha.tenant = '{self._tenant_id}'")
        except BaseException:
            self._connection.terminate()
            self._pool.release(self._connection)
            raise


async def _roll_back(connection: Any) -> None:
    try:
        await connection.execute("ROLLBACK")
    except Exception:  # whatever ails it, the server rolls back what it never saw committed
        connection.terminate()


async def _connect(url: str, role: str, **server_settings: str) -> Any:
    connection = await asyncpg.connect(
        url,
        statement_cache_size=500,
        command_timeout=60,
        server_settings={
            "role": role,
            "timezone": "UTC",
            "application_name": "trilha",
            "idle_in_transaction_session_timeout": "60s",
            **server_settings,
        },
    )
    await set_codecs(connection)
    return connection
