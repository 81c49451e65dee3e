"""The way to the database: `Tx`, one tenant's transaction, and `Door`, the few statements without a tenant.

SQL is plain, with named parameters (`:user_id`). Rows come back as msgspec Structs, matched by column
name. Times cross this border as text in the wire's own form (see `core.types.Timestamp`).
"""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import msgspec

from trilha.core.auth import NOBODY, Actor
from trilha.core.clock import Clock, civil_date
from trilha.core.pool import Pool
from trilha.core.secrets import Keyring
from trilha.core.types import to_json

T = TypeVar("T", bound=msgspec.Struct)

APP_ROLE = "trilha_app"
DOOR_ROLE = "trilha_door"

# Raised when the server went away or cannot be reached; nothing was committed.
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    # A dying server's farewell, read when a statement was about to be sent.
    asyncpg.InternalClientError,
    OSError,
)
# Two transactions met; the one that lost may simply run again.
CLASHED = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)

_NAMED = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


class NotCommitted(Exception):
    """COMMIT came back as ROLLBACK: a statement had failed and its error was swallowed."""


class TenantNotNamed(Exception):
    """A statement inside a tenant's transaction does not say `:tenant`."""


@lru_cache(2048)
def compile_sql(sql: str) -> tuple[str, tuple[str, ...]]:
    """`:name` becomes `$1`, in order of first appearance. Casts (`::uuid`) are left alone."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return _NAMED.sub(number, sql), tuple(names)


@lru_cache(512)
def _reader(kind: type[msgspec.Struct], columns: tuple[str, ...]) -> Any:
    wanted = kind.__struct_fields__
    return None if wanted == columns else itemgetter(*wanted)


def _structs(kind: type[T], rows: Sequence[Any]) -> list[T]:
    if not rows:
        return []
    read = _reader(kind, tuple(rows[0].keys()))
    if read is None:
        return [kind(*row) for row in rows]
    if len(kind.__struct_fields__) == 1:
        return [kind(read(row)) for row in rows]
    return [kind(*read(row)) for row in rows]


class Door:
    """Statements on one connection, named parameters, rows as Structs."""

    def __init__(self, connection: Any, clock: Clock) -> None:
        self._connection = connection
        self.now = clock()

    def _bind(self, sql: str, params: dict[str, Any]) -> tuple[str, list[Any]]:
        text, names = compile_sql(sql)
        params.setdefault("now", self.now)
        return text, [params[name] for name in names]

    async def list(self, kind: type[T], sql: str, /, **params: Any) -> list[T]:
        text, values = self._bind(sql, params)
        return _structs(kind, await self._connection.fetch(text, *values))

    async def find(self, kind: type[T], sql: str, /, **params: Any) -> T | None:
        text, values = self._bind(sql, params)
        row = await self._connection.fetchrow(text, *values)
        return None if row is None else _structs(kind, [row])[0]

    async def rows(self, sql: str, /, **params: Any) -> Sequence[Any]:
        """Bare rows, for columns that are no Struct of anybody's."""
        text, values = self._bind(sql, params)
        rows: Sequence[Any] = await self._connection.fetch(text, *values)
        return rows

    async def value(self, sql: str, /, **params: Any) -> Any:
        text, values = self._bind(sql, params)
        return await self._connection.fetchval(text, *values)

    @asynccontextmanager
    async def durable(self) -> AsyncIterator[None]:
        """One transaction that is on disk when it ends, where a door's last moment may be lost in a crash."""
        async with self._connection.transaction():
            await self._connection.execute("SET LOCAL synchronous_commit = on")
            yield

    async def execute(self, sql: str, /, **params: Any) -> int:
        """The number of rows changed."""
        text, values = self._bind(sql, params)
        status: str = await self._connection.execute(text, *values)
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0


class Tx(Door):
    """One transaction of one tenant. `:tenant` and `:now` are bound here and nowhere else."""

    def __init__(
        self, connection: Any, clock: Clock, tenant_id: UUID, keyring: Keyring, actor: Actor
    ) -> None:
        super().__init__(connection, clock)
        self.tenant_id = tenant_id
        self.keyring = keyring
        self.actor = actor

    @property
    def today(self) -> date:
        return civil_date(self.now)

    def _bind(self, sql: str, params: dict[str, Any]) -> tuple[str, list[Any]]:
        _, names = compile_sql(sql)
        if "tenant" not in names:
            raise TenantNotNamed(sql)
        params["tenant"] = self.tenant_id
        return super()._bind(sql, params)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """What happens inside is undone when it raises; the transaction goes on."""
        await self._connection.execute("SAVEPOINT s")
        try:
            yield
        except Exception:
            await self._connection.execute("ROLLBACK TO SAVEPOINT s")
            raise

    async def claim(self, key: int) -> bool:
        """True when this transaction alone holds the key until it ends; never waits."""
        held: bool = await self._connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", key)
        return held


class Database:
    """Two pools: the unprivileged role that serves tenants, and the second role for the doors."""

    def __init__(self, url: str, clock: Clock, keyring: Keyring, *, size: int = 10) -> None:
        self._app = Pool(partial(_connect, url, APP_ROLE), size)
        # Counters and last-used times may lose a moment when the server crashes; requests need not wait.
        self._door = Pool(partial(_connect, url, DOOR_ROLE, synchronous_commit="off"), 2)
        self.clock = clock
        self.keyring = keyring

    async def open(self) -> None:
        await self._app.open()
        await self._door.open()

    async def close(self) -> None:
        await self._app.close()
        await self._door.close()

    def transaction(
        self,
        tenant_id: UUID,
        *,
        read_only: bool = False,
        clock: Clock | None = None,
        actor: Actor = NOBODY,
    ) -> "_Transaction":
        """Commits when the block ends, rolls back when it raises. `clock` replaces the usual one."""
        tx = partial(Tx, clock=clock or self.clock, tenant_id=tenant_id, keyring=self.keyring, actor=actor)
        return _Transaction(self._app, tenant_id, read_only, tx)

    @asynccontextmanager
    async def door(self) -> AsyncIterator[Door]:
        """Statements without a tenant, each its own transaction. Used by `trilha.doors` alone."""
        async with self._door.connection() as connection:
            yield Door(connection, self.clock)


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


async def set_codecs(connection: Any) -> None:
    await connection.set_type_codec(
        "timestamptz",
        schema="pg_catalog",
        encoder=_encode_time,
        decoder=_decode_time,
        format="tuple",
    )
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_encode_jsonb, decoder=_decode_jsonb, format="binary"
    )


def _encode_time(value: "datetime | str") -> tuple[int]:
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return ((moment - _EPOCH) // timedelta(microseconds=1),)


_MILLIS = [f".{millis:03}Z" for millis in range(1000)]


@lru_cache(1 << 16)
def _second(seconds: int) -> str:
    """Seconds since 2000 as the wire has them, up to the fraction. Pages are read again and again."""
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{_day(days)}{hours:02}:{minutes:02}:{rest:02}"


@lru_cache(4096)
def _day(days: int) -> str:
    return (_EPOCH + timedelta(days)).strftime("%Y-%m-%dT")


def _decode_time(value: tuple[int]) -> str:
    # Runs for every time of every row; isoformat() takes four times as long.
    seconds, micros = divmod(value[0], 1_000_000)
    return _second(seconds) + _MILLIS[micros // 1000]


def _encode_jsonb(value: Any) -> bytes:
    return b"\x01" + to_json(value)


def _decode_jsonb(value: bytes) -> Any:
    return msgspec.json.decode(value[1:])
