"""The database as the application uses it: transactions of a tenant, and statements without one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg

from trilha.core.clock import Clock
from trilha.core.credentials import SYSTEM, Actor
from trilha.core.database import logins
from trilha.core.database.codecs import set_codecs
from trilha.core.database.connection import Tx, Unscoped
from trilha.core.database.logins import APP_ROLE, UNSCOPED_ROLE, LoginError, ServingUrls
from trilha.core.database.open_reads import OpenReads
from trilha.core.database.pool import Pool
from trilha.core.secrets import Keyring

# The server cannot be reached or has closed the connection. What was not committed is rolled back.
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    # The server's notice of its shutdown was read just before a statement was sent.
    asyncpg.InternalClientError,
    OSError,
)
# Two transactions were in each other's way. The one that failed may be run again.
CLASHED = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)


class NotCommitted(Exception):
    """The answer to COMMIT was ROLLBACK: a statement had failed, and its error was not raised."""


class Database:
    """Two pools of connections: one of the login for tenants, one of the login for statements without."""

    def __init__(self, urls: ServingUrls, clock: Clock, keyring: Keyring, *, size: int = 10) -> None:
        self._app = Pool(partial(_connect, urls.app), size)
        self._reads = OpenReads(self._app)
        # What is written here, such as counts and times of last use, need not wait for the disk.
        self._unscoped = Pool(partial(_connect, urls.unscoped, synchronous_commit="off"), 2)
        self.clock = clock
        self.keyring = keyring

    async def open(self) -> None:
        """Raises LoginError for a login that is refused, or may do more than it should."""
        for pool, role in ((self._app, APP_ROLE), (self._unscoped, UNSCOPED_ROLE)):
            try:
                await pool.open()
            except asyncpg.InvalidAuthorizationSpecificationError as error:
                raise LoginError(
                    f"Serving processes cannot log in to the database ({error}): run `trilha migrate` with "
                    "the same master key, or set TRILHA_DATABASE_APP_URL and TRILHA_DATABASE_UNSCOPED_URL."
                ) from None
            async with pool.connection() as connection:
                await logins.check(connection, role)

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
        """Commits when the block ends, rolls back when it raises. `clock` replaces the database's."""
        tx = partial(Tx, clock=clock or self.clock, tenant_id=tenant_id, keyring=self.keyring, actor=actor)
        return _Transaction(self._app, self._reads, tenant_id, read_only, tx)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[Unscoped]:
        """Statements without a tenant, each its own transaction."""
        async with self._unscoped.connection() as connection:
            yield Unscoped(connection, self.clock)


class _Transaction:
    """From BEGIN to COMMIT. A class, because @asynccontextmanager costs more than the pool does."""

    def __init__(
        self, pool: Pool, reads: OpenReads, tenant_id: UUID, read_only: bool, tx: Callable[[Any], Tx]
    ) -> None:
        self._pool = pool
        self._reads = reads
        self._tenant_id = tenant_id
        self._read_only = read_only
        self._tx = tx
        self._connection: Any = None

    async def __aenter__(self) -> Tx:
        try:
            await self._open()
        except LOST:
            # The server closed the connection while it was idle, and then probably all the others as well.
            self._pool.renew()
            await self._open()
        return self._tx(self._connection)

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        try:
            if error is not None:
                self._reads.forget(self._connection)
                await _roll_back(self._connection)
            elif self._read_only:
                self._reads.leave(self._connection)
            else:
                await self._commit()
        finally:
            self._pool.release(self._connection)

    async def _commit(self) -> None:
        try:
            outcome = await self._connection.execute("COMMIT")
        except BaseException:
            # Whether it was committed is unknown, and so is the state of the connection.
            self._connection.terminate()
            raise
        if outcome != "COMMIT":
            raise NotCommitted(outcome)

    async def _open(self) -> None:
        self._connection = await self._pool.acquire(self._reads.of(self._tenant_id))
        if self._read_only and self._reads.go_on(self._connection, self._tenant_id):
            return
        # A transaction that only read was left open, to be ended here in the same round trip.
        end = "COMMIT; " if self._connection.is_in_transaction() else ""
        begin = "BEGIN READ ONLY" if self._read_only else "BEGIN"
        try:
            await self._connection.execute(f"{end}{begin}; SET LOCAL trilha.tenant = '{self._tenant_id}'")
        except BaseException:
            self._connection.terminate()
            self._pool.release(self._connection)
            raise
        if self._read_only:
            self._reads.begin(self._connection, self._tenant_id)
        else:
            self._reads.forget(self._connection)


async def _roll_back(connection: Any) -> None:
    try:
        await connection.execute("ROLLBACK")
    except Exception:  # without the connection, the server rolls back by itself
        connection.terminate()


async def _connect(url: str, **server_settings: str) -> Any:
    connection = await asyncpg.connect(
        url,
        statement_cache_size=500,
        command_timeout=60,
        server_settings={
            "timezone": "UTC",
            "application_name": "trilha",
            "idle_in_transaction_session_timeout": "60s",
            **server_settings,
        },
    )
    await set_codecs(connection)
    return connection
