"""Statements on one connection: `Tx` inside a tenant, `Unscoped` for the few that come before one is known.

SQL is plain, with named parameters (`:user_id`). Rows come back as msgspec Structs, matched by column
name. Times cross this border as text in the wire's own form (see `core.types.Timestamp`).
"""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import date
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from trilha.core.clock import Clock, civil_date
from trilha.core.credentials import Actor
from trilha.core.secrets import Keyring

T = TypeVar("T", bound=msgspec.Struct)

_NAMED = re.compile(r"(?<![:\w]):([a-z_]\w*)")


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


def columns_of(kind: type[msgspec.Struct], table: str = "") -> str:
    """A Struct's members as a list of columns; of a `table` in a join, each named `"table.member"`."""
    if not table:
        return ", ".join(kind.__struct_fields__)
    return ", ".join(f'{table}.{name} AS "{table}.{name}"' for name in kind.__struct_fields__)


@lru_cache(512)
def _reader(kind: type[T], columns: tuple[str, ...], table: str) -> Callable[[Any], T]:
    """What makes a Struct of a row with these columns."""
    members = tuple(f"{table}.{name}" if table else name for name in kind.__struct_fields__)
    if members == columns:
        return lambda row: kind(*row)
    read = itemgetter(*members)
    if len(members) == 1:
        return lambda row: kind(read(row))
    return lambda row: kind(*read(row))


def structs_of(kind: type[T], rows: Sequence[Any], table: str = "") -> list[T]:
    """Rows as Structs, by the names of their columns, or of one table's columns as `columns_of` names them.

    Other columns are ignored.
    """
    return list(map(_reader(kind, tuple(rows[0].keys()), table), rows)) if rows else []


class Connection:
    """Named parameters in, rows out as Structs."""

    def __init__(self, connection: Any, clock: Clock) -> None:
        self._connection = connection
        self.now = clock()

    def _bind(self, sql: str, params: dict[str, Any]) -> tuple[str, list[Any]]:
        text, names = compile_sql(sql)
        params.setdefault("now", self.now)
        return text, [params[name] for name in names]

    async def list(self, kind: type[T], sql: str, /, **params: Any) -> list[T]:
        text, values = self._bind(sql, params)
        return structs_of(kind, await self._connection.fetch(text, *values))

    async def find(self, kind: type[T], sql: str, /, **params: Any) -> T | None:
        text, values = self._bind(sql, params)
        row = await self._connection.fetchrow(text, *values)
        return None if row is None else structs_of(kind, [row])[0]

    async def rows(self, sql: str, /, **params: Any) -> Sequence[Any]:
        """Bare rows, for columns that are no Struct of anybody's."""
        text, values = self._bind(sql, params)
        rows: Sequence[Any] = await self._connection.fetch(text, *values)
        return rows

    async def value(self, sql: str, /, **params: Any) -> Any:
        text, values = self._bind(sql, params)
        return await self._connection.fetchval(text, *values)

    async def execute(self, sql: str, /, **params: Any) -> int:
        """The number of rows changed."""
        text, values = self._bind(sql, params)
        status: str = await self._connection.execute(text, *values)
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0


class Unscoped(Connection):
    """Statements without a tenant, under the second role, each its own transaction.

    A crash of the server may lose the last moment of what they wrote, but for what is `durable`.
    """

    @asynccontextmanager
    async def durable(self) -> AsyncIterator[None]:
        """One transaction that is on disk when it ends."""
        async with self._connection.transaction():
            await self._connection.execute("SET LOCAL synchronous_commit = on")
            yield


class Tx(Connection):
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
