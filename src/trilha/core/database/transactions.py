"""The database as the application uses it: transactions of a tenant, and statements without one."""

import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg

from trilha.core.clock import Clock
from trilha.core.credentials import SYSTEM, Actor
from trilha.core.database import logins
from trilha.core.database.batcher import Batcher
from trilha.core.database.codecs import set_codecs
from trilha.core.database.connection import Tx, Unscoped
from trilha.core.database.failures import LOST, NotCommitted, Unreachable
from trilha.core.database.logins import APP_ROLE, UNSCOPED_ROLE, LoginError, ServingUrls
from trilha.core.database.open_reads import OpenReads
from trilha.core.database.pool import Pool
from trilha.core.secrets import Keyring

_CHECK_SECONDS = 1.0


# How one more read of the same tenant is begun, for what reads in several transactions.
Reading = Callable[[], AbstractAsyncContextManager[Tx]]


class Database:
    """Two pools of connections: one of the login for tenants, one of the login for statements without."""

    def __init__(self, urls: ServingUrls, clock: Clock, keyring: Keyring, *, size: int = 10) -> None:
        self._app = Pool(partial(_connect, urls.app), size)
        self._reads = OpenReads(self._app)
        # What is written here, such as counts and times of last use, need not wait for the disk.
        self._unscoped = Pool(partial(_connect, urls.unscoped, synchronous_commit="off"), 2)
        self._checks = Batcher(self._check)
        self._checked_at = -math.inf
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

    async def check(self) -> None:
        """Raises one of LOST where the database cannot be reached. Asks it once a second at the most."""
        await self._checks.submit(None)

    async def _check(self, callers: Sequence[None]) -> Sequence[None]:
        if time.monotonic() >= self._checked_at + _CHECK_SECONDS:
            async with self.unscoped() as unscoped:
                await unscoped.value("SELECT 1")
            self._checked_at = time.monotonic()
        return callers

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
        self._make_tx = tx
        self._tx: Tx | None = None
        self._connection: Any = None

    async def __aenter__(self) -> Tx:
        self._connection = await self._pool.acquire(self._reads.of(self._tenant_id))
        try:
            await self._begin()
        except LOST:
            # The server closed the connection while it was idle, and then probably all the others as well.
            self._pool.renew()
            self._connection = await self._pool.acquire()
            await self._begin()
        self._tx = self._make_tx(self._connection)
        return self._tx

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        assert self._tx is not None
        failed = error is not None or (self._read_only and self._tx.failed)
        # Whoever keeps it finds it closed: the connection is another's from here on.
        self._tx.close()
        try:
            if failed:
                await self._roll_back()
            elif self._read_only:
                self._reads.leave(self._connection)
            else:
                await self._commit()
        finally:
            self._pool.release(self._connection)

    async def _begin(self) -> None:
        if self._read_only and self._reads.go_on(self._connection, self._tenant_id):
            return
        # What was left open here only read; it is ended in the same round trip.
        end = "ROLLBACK; " if self._connection.is_in_transaction() else ""
        access = " READ ONLY" if self._read_only else ""
        begin = f"BEGIN ISOLATION LEVEL READ COMMITTED{access}"
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

    async def _commit(self) -> None:
        try:
            outcome = await self._connection.execute("COMMIT")
        except BaseException:
            # Whether it was committed is unknown, and so is the state of the connection.
            self._connection.terminate()
            raise
        if outcome != "COMMIT":
            raise NotCommitted(outcome)

    async def _roll_back(self) -> None:
        self._reads.forget(self._connection)
        try:
            await self._connection.execute("ROLLBACK")
        except Exception:  # without the connection, the server rolls back by itself
            self._connection.terminate()
        except BaseException:
            self._connection.terminate()
            raise


async def _connect(url: str, **server_settings: str) -> Any:
    try:
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
    except OSError as error:
        raise Unreachable(*error.args) from error
    await set_codecs(connection)
    return connection
