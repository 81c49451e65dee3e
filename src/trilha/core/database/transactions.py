"""Transactions of a tenant, and statements without one.

A connection needs no reset when it returns to the pool: every setting is SET LOCAL, and every transaction
begun here ends here.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from trilha.core.clock import Clock
from trilha.core.credentials import SYSTEM, Actor
from trilha.core.database import logins, master_keys, poolers
from trilha.core.database.codecs import set_codecs
from trilha.core.database.connection import Tx, Unscoped
from trilha.core.database.failures import CONNECTION_ERRORS, NotCommitted, Unreachable, await_answer
from trilha.core.database.logins import APP_ROLE, UNSCOPED_ROLE, LoginError, ServingUrls
from trilha.core.database.readiness import Readiness
from trilha.core.database.searches import Search, Searcher
from trilha.core.database.session_settings import warn_of_missing
from trilha.core.database.snapshots import Snapshot
from trilha.core.secrets import Keyring

_ROLLBACK_SECONDS = 5
_SNAPSHOTS = 1
_UNSCOPED_CONNECTIONS = 2
_READINESS_CONNECTIONS = 1
# What a process may open in addition to the connections of tenants' transactions.
OTHER_CONNECTIONS = _SNAPSHOTS + _UNSCOPED_CONNECTIONS + _READINESS_CONNECTIONS


# Begins another read of the same tenant, for readers that use several transactions.
Reading = Callable[[], AbstractAsyncContextManager[Tx]]


class Database:
    """Three connection pools: for tenants, a small one for long reads, and one for statements without a
    tenant; and one connection for the check of readiness.
    """

    def __init__(
        self,
        urls: ServingUrls,
        clock: Clock,
        keyring: Keyring,
        *,
        size: int = 4,
        application: str = "trilha",
    ) -> None:
        """`size` is the number of connections for tenants. `application` names all connections in
        PostgreSQL's views, which keep 63 bytes of it.
        """
        self._urls = urls
        self._size = size
        self._application = application.encode("ascii", "replace")[:63].decode()
        self._app: Any = None
        self._long: Any = None
        self._unscoped: Any = None
        self._readiness: Readiness | None = None
        self._searcher = Searcher()
        self.clock = clock
        self.keyring = keyring

    async def open(self) -> None:
        """Opens the pools, and loads the keys of hashes.

        Raises LoginError if a login is refused or has too many rights, PoolerError, MasterKeyError.
        """
        open_pool = partial(_open_pool, application_name=self._application)
        app = _Login(self._urls.app, logins.find_passwords(self._urls.app, APP_ROLE, self.keyring))
        unscoped = _Login(
            self._urls.unscoped, logins.find_passwords(self._urls.unscoped, UNSCOPED_ROLE, self.keyring)
        )
        try:
            self._app = await open_pool(app, self._size)
            self._long = await open_pool(app, _SNAPSHOTS, min_size=0)
            self._unscoped = await open_pool(unscoped, _UNSCOPED_CONNECTIONS)
            for pool, role in ((self._app, APP_ROLE), (self._unscoped, UNSCOPED_ROLE)):
                async with pool.acquire() as connection:
                    await poolers.check(connection)
                    await logins.check(connection, role)
                    await warn_of_missing(connection, logins.SESSION_SETTINGS[role])
        except asyncpg.InvalidAuthorizationSpecificationError as error:
            raise LoginError(
                f"Serving processes cannot log in to the database ({error}): run `trilha migrate` with "
                "the same master key, or set TRILHA_DATABASE_APP_URL and TRILHA_DATABASE_UNSCOPED_URL."
            ) from None
        except poolers.MIXED_UP_ERRORS:
            raise poolers.PoolerError from None
        await master_keys.load_hash_keys(self._unscoped, self.keyring)
        names = {"application_name": self._application}
        self._readiness = Readiness(partial(unscoped.connect, unscoped.url, server_settings=names))
        self._readiness.note_answer()

    async def close(self) -> None:
        if self._readiness is not None:
            await self._readiness.close()
        for pool in (self._app, self._long, self._unscoped):
            if pool is not None:
                await pool.close()

    @asynccontextmanager
    async def transaction(
        self,
        tenant_id: UUID,
        *,
        read_only: bool = False,
        clock: Clock | None = None,
        actor: Actor = SYSTEM,
    ) -> AsyncIterator[Tx]:
        """Commits when the block ends, and rolls back if it raises. `clock` replaces the database's."""
        mode = "READ COMMITTED READ ONLY" if read_only else "READ COMMITTED"
        async with _begin(self._app, tenant_id, mode, commits=not read_only) as connection:
            yield Tx(connection, clock or self.clock, tenant_id, self.keyring, actor)

    @asynccontextmanager
    async def snapshot(self, tenant_id: UUID) -> AsyncIterator[Snapshot]:
        """Opens a snapshot for long reads at one point in time. Their number is limited; others wait."""
        async with _begin(self._long, tenant_id, "REPEATABLE READ READ ONLY") as connection:
            yield Snapshot(connection, self.clock, tenant_id, self.keyring, SYSTEM)

    def count_connections(self) -> tuple[int, int]:
        """Returns how many connections are in use, and how many are idle."""
        pools = [pool for pool in (self._app, self._long, self._unscoped) if pool is not None]
        idle = sum(pool.get_idle_size() for pool in pools)
        return sum(pool.get_size() for pool in pools) - idle, idle

    async def check(self) -> None:
        """Raises Unreachable within a tenth of a second if the database does not answer."""
        if self._readiness is None:
            raise Unreachable("the pools are not open")
        await self._readiness.check()

    async def search(self, search: Search, start: UUID | None = None, **params: Any) -> list[Any]:
        """Runs a search across tenants and returns its rows as the driver's records. It begins at the tenant
        `start`, or at a random one.
        """
        async with self.unscoped() as unscoped:
            return await self._searcher.run(unscoped, search, start or uuid4(), params)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[Unscoped]:
        """Runs statements without a tenant, each in its own transaction."""
        async with self._unscoped.acquire() as connection:
            yield Unscoped(connection, self.clock)


@asynccontextmanager
async def _begin(pool: Any, tenant_id: UUID, mode: str, *, commits: bool = False) -> AsyncIterator[Any]:
    """Yields a connection in a transaction of this tenant, which ends with the block."""
    begin = f"BEGIN ISOLATION LEVEL {mode}; SET LOCAL trilha.tenant = '{tenant_id}'"
    try:
        connection = await _acquire(pool, begin)
    except CONNECTION_ERRORS:
        # The server closed the idle connection, and probably all others too.
        await pool.expire_connections()
        connection = await _acquire(pool, begin)
    try:
        yield connection
    except BaseException:
        await _roll_back(connection)
        raise
    else:
        await (_commit if commits else _roll_back)(connection)
    finally:
        await pool.release(connection)


async def _acquire(pool: Any, begin: str) -> Any:
    connection = await pool.acquire()
    try:
        await await_answer(connection.execute(begin))
    except BaseException:
        _terminate(connection)
        await pool.release(connection)
        raise
    return connection


async def _commit(connection: Any) -> None:
    try:
        outcome: str = await await_answer(connection.execute("COMMIT"))
    except BaseException:
        # It is unknown whether the transaction was committed and what state the connection is in.
        _terminate(connection)
        raise
    if outcome != "COMMIT":
        raise NotCommitted


async def _roll_back(connection: Any) -> None:
    try:
        # After a cancelled query, the driver first waits until the server has stopped it.
        async with asyncio.timeout(_ROLLBACK_SECONDS):
            await connection.execute("ROLLBACK")
    except BaseException as error:
        _terminate(connection)  # the server rolls back by itself
        if not isinstance(error, Exception):
            raise


def _terminate(connection: Any) -> None:
    with suppress(asyncpg.InterfaceError):  # it is closed already
        connection.terminate()


async def _open_pool(login: "_Login", size: int, *, application_name: str, min_size: int = 1) -> Any:
    return await asyncpg.create_pool(
        login.url,
        min_size=min_size,
        max_size=size,
        connect=login.connect,
        init=set_codecs,
        reset=_leave_as_it_is,
        statement_cache_size=500,
        command_timeout=60,
        server_settings={
            # Poolers know these two. All others are settings of the database's user.
            "timezone": "UTC",
            "application_name": application_name,
        },
    )


class _Login:
    """Connects as one database user, whose password may change while this process runs."""

    def __init__(self, url: str, passwords: Sequence[str | None]) -> None:
        self.url = url
        self._passwords = list(passwords)

    async def connect(self, *args: Any, **options: Any) -> Any:
        """Tries each password, the one that worked last first. Raises Unreachable."""
        *others, last = list(self._passwords)
        for password in others:
            with suppress(asyncpg.InvalidPasswordError):
                return await self._connect(password, *args, **options)
        return await self._connect(last, *args, **options)

    async def _connect(self, password: str | None, *args: Any, **options: Any) -> Any:
        try:
            connection = await asyncpg.connect(*args, password=password, **options)
        except OSError as error:
            raise Unreachable(*error.args) from error
        self._passwords.sort(key=lambda each: each != password)
        return connection


async def _leave_as_it_is(connection: Any) -> None:
    """Replaces the driver's own reset, which would query the server."""
