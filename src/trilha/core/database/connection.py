"""Runs statements on one connection: `Tx` within a tenant, `Unscoped` before a tenant is known.

SQL is plain, with named parameters (`:user_id`). Rows become msgspec Structs by column name. Times are
read as text in the form of `core.types.Timestamp`, and written as such text or as a datetime.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import date
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from trilha.core import request_context, tracing
from trilha.core.clock import Clock, civil_date
from trilha.core.credentials import Actor
from trilha.core.database.failures import await_answer
from trilha.core.secrets import Keyring

T = TypeVar("T", bound=msgspec.Struct)

_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")


class TenantNotNamed(Exception):
    """A statement in a tenant's transaction lacks `:tenant`."""


@lru_cache(2048)
def compile_sql(sql: str) -> tuple[str, tuple[str, ...]]:
    """Replaces each `:name` by `$1` and so on, in order of first appearance. Casts (`::uuid`) are left
    alone.
    """
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return _PARAMETER.sub(number, sql), tuple(names)


@lru_cache(512)
def columns_of(kind: type[msgspec.Struct], table: str = "") -> str:
    """Lists a Struct's members as SQL columns. With `table`, they are named `"table.member"`, for joins."""
    if not table:
        return ", ".join(kind.__struct_fields__)
    return ", ".join(f'{table}.{name} AS "{table}.{name}"' for name in kind.__struct_fields__)


@lru_cache(512)
def _reader(kind: type[T], columns: tuple[str, ...], table: str) -> Callable[[Any], T]:
    """Returns a function that turns a row with these columns into a Struct."""
    members = tuple(f"{table}.{name}" if table else name for name in kind.__struct_fields__)
    if members == columns:
        return lambda row: kind(*row)
    read = itemgetter(*members)
    if len(members) == 1:
        return lambda row: kind(read(row))
    return lambda row: kind(*read(row))


def structs_of(kind: type[T], rows: Sequence[Any], table: str = "") -> list[T]:
    """Converts rows to Structs by column name. With `table`, the names are those of `columns_of`.

    Other columns are ignored. All rows must have the same columns.
    """
    return list(map(_reader(kind, tuple(rows[0].keys()), table), rows)) if rows else []


class Connection:
    """Runs statements. `:now` is the time at which the connection was created, the same for all its
    statements. `:request_id` and `:traceparent` are those of the request that runs, or NULL.
    """

    def __init__(self, connection: Any, clock: Clock) -> None:
        self._connection = connection  # the asyncpg connection
        self._savepoints = 0  # the number of open, nested savepoints
        self.now = clock()

    async def _run(
        self, method: Callable[..., Awaitable[Any]], text: str, values: Sequence[Any], **options: Any
    ) -> Any:
        if not tracing.is_recording():
            return await await_answer(method(text, *values, **options))
        with tracing.trace_statement(text):
            return await await_answer(method(text, *values, **options))

    def _bind(self, sql: str, params: dict[str, Any]) -> tuple[str, list[Any]]:
        text, names = compile_sql(sql)
        params.setdefault("now", self.now)
        if "request_id" in names:
            params.update(request_context.describe_cause())
        return text, [params[name] for name in names]

    async def list(self, kind: type[T], sql: str, /, **params: Any) -> list[T]:
        """Returns every row."""
        text, values = self._bind(sql, params)
        return structs_of(kind, await self._run(self._connection.fetch, text, values))

    async def find(self, kind: type[T], sql: str, /, **params: Any) -> T | None:
        """Returns the first row, or None."""
        text, values = self._bind(sql, params)
        row = await self._run(self._connection.fetchrow, text, values)
        return None if row is None else structs_of(kind, [row])[0]

    async def rows(self, sql: str, /, **params: Any) -> Sequence[Any]:
        """Returns rows as the driver's records, which are indexed by column name."""
        text, values = self._bind(sql, params)
        rows: Sequence[Any] = await self._run(self._connection.fetch, text, values)
        return rows

    async def value(self, sql: str, /, **params: Any) -> Any:
        """Returns the first column of the first row, or None if there is no row."""
        text, values = self._bind(sql, params)
        return await self._run(self._connection.fetchval, text, values)

    async def execute(self, sql: str, /, **params: Any) -> int:
        """Returns the number of changed rows."""
        text, values = self._bind(sql, params)
        status: str = await self._run(self._connection.execute, text, values)
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0


class Unscoped(Connection):
    """Runs statements without a tenant, under their own role. Each is a transaction.

    Commits do not wait for the disk: a crash of the database may lose the last ones.
    """

    @asynccontextmanager
    async def durable(self) -> AsyncIterator[None]:
        """Runs one transaction whose commit waits for the disk."""
        async with self._connection.transaction():
            await self._connection.execute("SET LOCAL synchronous_commit = on")
            yield


class Tx(Connection):
    """A transaction of one tenant. `:tenant` is bound here and nowhere else.

    `actor` is recorded in the audit log.
    """

    def __init__(
        self, connection: Any, clock: Clock, tenant_id: UUID, keyring: Keyring, actor: Actor
    ) -> None:
        super().__init__(connection, clock)
        self.tenant_id = tenant_id
        self.keyring = keyring
        self.actor = actor

    @property
    def today(self) -> date:
        """The current date in São Paulo."""
        return civil_date(self.now)

    def _bind(self, sql: str, params: dict[str, Any]) -> tuple[str, list[Any]]:
        _, names = compile_sql(sql)
        if "tenant" not in names:
            raise TenantNotNamed(sql)
        params["tenant"] = self.tenant_id
        return super()._bind(sql, params)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """Undoes the block if it raises, and leaves the transaction usable."""
        # Nested savepoints need different names, or the outer block could not be undone completely.
        name = f"s{self._savepoints}"
        self._savepoints += 1
        try:
            await self._run(self._connection.execute, f"SAVEPOINT {name}", ())
            yield
        except Exception:
            await self._connection.execute(f"ROLLBACK TO SAVEPOINT {name}")
            raise
        finally:
            self._savepoints -= 1

    async def claim(self, key: int) -> bool:
        """Locks the key until the transaction ends. Returns False at once if another transaction holds it."""
        claim = "SELECT pg_try_advisory_xact_lock($1)"
        locked: bool = await self._run(self._connection.fetchval, claim, [key])
        return locked
