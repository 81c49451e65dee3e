"""The database as the application uses it: transactions of a tenant, and statements without one."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
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
from trilha.core.database.failures import LOST, NotCommitted, Unreachable, answered
from trilha.core.database.logins import APP_ROLE, UNSCOPED_ROLE, LoginError, ServingUrls
from trilha.core.database.open_transactions import OpenTransactions
from trilha.core.database.pool import Pool
from trilha.core.database.snapshots import OpenSnapshot, Snapshot
from trilha.core.secrets import Keyring

_CHECK_SECONDS = 1.0
_SNAPSHOTS = 2


# How one more read of the same tenant is begun, for what reads in several transactions.
Reading = Callable[[], AbstractAsyncContextManager[Tx]]


class Database:
    """Three pools of connections: one of the login for tenants, a small one of the same for what is read at
    length, and one of the login for statements without a tenant."""

    def __init__(
        self,
        urls: ServingUrls,
        clock: Clock,
        keyring: Keyring,
        *,
        size: int = 10,
        application: str = "trilha",
    ) -> None:
        """`application` names the connections in PostgreSQL's own views, which keep 63 bytes of it."""
        connect = partial(_connect, application_name=application.encode("ascii", "replace")[:63].decode())
        self._app = Pool(partial(connect, urls.app), size)
        self._open = OpenTransactions(self._app)
        self._long = Pool(partial(connect, urls.app), _SNAPSHOTS)
        # What is written here, such as counts and times of last use, need not wait for the disk.
        self._unscoped = Pool(partial(connect, urls.unscoped, synchronous_commit="off"), 2)
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
        await self._long.close()
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
        return _Transaction(self._app, self._open, tenant_id, read_only, tx)

    def snapshot(self, tenant_id: UUID) -> OpenSnapshot:
        """For what is read at length, all of it as of one moment. There are few at a time; others wait."""
        tx = partial(Snapshot, clock=self.clock, tenant_id=tenant_id, keyring=self.keyring, actor=SYSTEM)
        return OpenSnapshot(self._long, tenant_id, tx)

    def autocommit(self, tenant_id: UUID, *, actor: Actor = SYSTEM) -> "_Autocommit":
        """For one INSERT that takes its tenant from `OWN_TENANT`: it is a transaction by itself, in one round
        trip, and on disk when it returns. Row-level security refuses any other statement."""
        tx = partial(Tx, clock=self.clock, tenant_id=tenant_id, keyring=self.keyring, actor=actor)
        return _Autocommit(self._app, self._open, tx)

    async def check(self) -> None:
        """Raises one of LOST where the database cannot be reached. Asks it once a second at the most."""
        await self._checks.submit(None)

    async def _check(self, callers: Sequence[None]) -> Sequence[None]:
        if time.monotonic() >= self._checked_at + _CHECK_SECONDS:
            async with self.unscoped() as unscoped:
                await unscoped.value("SELECT 1")
            self._checked_at = time.monotonic()
        return callers

    def unscoped(self) -> "_WithoutTenant":
        """Statements without a tenant, each its own transaction."""
        return _WithoutTenant(self._unscoped, self.clock)


class _WithoutTenant:
    """A connection on loan. A class for the same reason as `_Transaction`."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock
        self._connection: Any = None

    async def __aenter__(self) -> Unscoped:
        self._connection = await self._pool.acquire()
        return Unscoped(self._connection, self._clock)

    async def __aexit__(self, *_: object) -> None:
        self._pool.release(self._connection)


class _Autocommit:
    """A connection on loan, in no transaction."""

    def __init__(self, pool: Pool, opened: OpenTransactions, tx: Callable[[Any], Tx]) -> None:
        self._pool = pool
        self._open = opened
        self._make_tx = tx
        self._tx: Tx | None = None
        self._connection: Any = None

    async def __aenter__(self) -> Tx:
        self._connection = connection = await self._pool.acquire(_is_in_no_transaction)
        if connection.is_in_transaction():
            self._open.forget(connection)
            try:
                await connection.execute("ROLLBACK")
            except BaseException:
                connection.terminate()
                self._pool.release(connection)
                raise
        self._tx = self._make_tx(connection)
        return self._tx

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        assert self._tx is not None
        self._tx.close()
        if error is not None and not isinstance(error, Exception):
            self._connection.terminate()
        self._pool.release(self._connection)


def _is_in_no_transaction(connection: Any) -> bool:
    return not connection.is_in_transaction()


class _Transaction:
    """From BEGIN to COMMIT. A class, because @asynccontextmanager costs more than the pool does."""

    def __init__(
        self,
        pool: Pool,
        opened: OpenTransactions,
        tenant_id: UUID,
        read_only: bool,
        tx: Callable[[Any], Tx],
    ) -> None:
        self._pool = pool
        self._open = opened
        self._tenant_id = tenant_id
        self._read_only = read_only
        self._make_tx = tx
        self._tx: Tx | None = None
        self._connection: Any = None

    async def __aenter__(self) -> Tx:
        self._connection = await self._pool.acquire(self._open.of(self._tenant_id, read_only=self._read_only))
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
        failed = self._tx.failed
        # Whoever keeps it finds it closed: the connection is another's from here on.
        self._tx.close()
        try:
            if error is not None or (self._read_only and failed):
                await self._roll_back()
            elif self._read_only:
                self._open.leave(self._connection)
            elif failed or not self._open.is_next_likely(self._connection, self._tenant_id):
                await self._commit()
            else:
                await self._commit_and_begin()
        finally:
            self._pool.release(self._connection)

    @property
    def _begin_statements(self) -> str:
        access = " READ ONLY" if self._read_only else ""
        begin = f"BEGIN ISOLATION LEVEL READ COMMITTED{access}"
        return f"{begin}; SET LOCAL trilha.tenant = '{self._tenant_id}'"

    async def _begin(self) -> None:
        if self._open.go_on(self._connection, self._tenant_id, read_only=self._read_only):
            return
        # Nothing was changed in what was left open here; it is ended in the same round trip.
        end = "ROLLBACK; " if self._connection.is_in_transaction() else ""
        self._open.forget(self._connection)
        try:
            await answered(self._connection.execute(end + self._begin_statements))
        except BaseException:
            self._connection.terminate()
            self._pool.release(self._connection)
            raise
        if self._read_only:
            self._open.begin(self._connection, self._tenant_id, read_only=True)

    async def _commit(self) -> None:
        if await self._end("COMMIT") != "COMMIT":
            raise NotCommitted

    async def _commit_and_begin(self) -> None:
        """No statement has failed, so COMMIT does commit, or raises; its own outcome is not to be seen."""
        await self._end(f"COMMIT; {self._begin_statements}")
        self._open.begin(self._connection, self._tenant_id, read_only=False)
        self._open.leave(self._connection)

    async def _end(self, statements: str) -> str:
        self._open.forget(self._connection)
        try:
            outcome: str = await answered(self._connection.execute(statements))
        except BaseException:
            # Whether it was committed is unknown, and so is the state of the connection.
            self._connection.terminate()
            raise
        return outcome

    async def _roll_back(self) -> None:
        self._open.forget(self._connection)
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
                "idle_in_transaction_session_timeout": "60s",
                # Starting a second process, or compiling, takes longer than most statements do by themselves.
                "max_parallel_workers_per_gather": "0",
                "jit": "off",
                **server_settings,
            },
        )
    except OSError as error:
        raise Unreachable(*error.args) from error
    await set_codecs(connection)
    return connection
