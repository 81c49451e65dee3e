"""Statements on one connection: `Tx` within a tenant, `Unscoped` for those that run before one is known.

SQL is plain, with named parameters (`:user_id`). Rows become msgspec Structs by the names of their columns.
Times are read as text in the form of `core.types.Timestamp`, and written as such text or as a datetime.
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

from trilha.core.clock import Clock, civil_date
from trilha.core.credentials import Actor
from trilha.core.database.failures import answered
from trilha.core.secrets import Keyring

T = TypeVar("T", bound=msgspec.Struct)

_NAMED = re.compile(r"(?<![:\w]):([a-z_]\w*)")


class TenantNotNamed(Exception):
    """A statement in a tenant's transaction lacks `:tenant`."""


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
def columns_of(kind: type[msgspec.Struct], table: str = "") -> str:
    """A Struct's members as a list of columns; those of a `table` in a join are named `"table.member"`."""
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
    """Rows as Structs, by the names of their columns; with `table`, by the names that `columns_of` gives.

    Other columns are ignored. All rows have the same columns.
    """
    return list(map(_reader(kind, tuple(rows[0].keys()), table), rows)) if rows else []


class Connection:
    """Runs statements. `:now` is the time at which this was made, the same for all its statements."""

    def __init__(self, connection: Any, clock: Clock) -> None:
        self._connection = connection  # asyncpg's
        self._savepoints = 0  # how many are open, one within the other
        self.now = clock()

    async def _run(
        self, method: Callable[..., Awaitable[Any]], text: str, values: Sequence[Any], **options: Any
    ) -> Any:
        return await answered(method(text, *values, **options))

    def _bind(self, sql: str, params: dict[str, Any]) -> tuple[str, list[Any]]:
        text, names = compile_sql(sql)
        params.setdefault("now", self.now)
        return text, [params[name] for name in names]

    async def list(self, kind: type[T], sql: str, /, **params: Any) -> list[T]:
        """Every row."""
        text, values = self._bind(sql, params)
        return structs_of(kind, await self._run(self._connection.fetch, text, values))

    async def find(self, kind: type[T], sql: str, /, **params: Any) -> T | None:
        """The first row, or None."""
        text, values = self._bind(sql, params)
        row = await self._run(self._connection.fetchrow, text, values)
        return None if row is None else structs_of(kind, [row])[0]

    async def rows(self, sql: str, /, **params: Any) -> Sequence[Any]:
        """Rows as the driver's records, which give a column by its name."""
        text, values = self._bind(sql, params)
        rows: Sequence[Any] = await self._run(self._connection.fetch, text, values)
        return rows

    async def value(self, sql: str, /, **params: Any) -> Any:
        """The first column of the first row; None where there is no row."""
        text, values = self._bind(sql, params)
        return await self._run(self._connection.fetchval, text, values)

    async def execute(self, sql: str, /, **params: Any) -> int:
        """The number of rows that were changed."""
        text, values = self._bind(sql, params)
        status: str = await self._run(self._connection.execute, text, values)
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0


class Unscoped(Connection):
    """Statements without a tenant, under a role of their own. Each is a transaction.

    Their commits do not wait for the disk: a crash of the database may lose the last ones.
    """

    @asynccontextmanager
    async def durable(self) -> AsyncIterator[None]:
        """One transaction, whose commit waits for the disk."""
        async with self._connection.transaction():
            await self._connection.execute("SET LOCAL synchronous_commit = on")
            yield


class Tx(Connection):
    """One transaction of one tenant. `:tenant` is bound here and nowhere else.

    `actor` is who makes the changes, for the audit record.
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
        """The calendar day in São Paulo."""
        return civil_date(self.now)

    def _bind(self, sql: str, params: dict[str, Any]) -> tuple[str, list[Any]]:
        _, names = compile_sql(sql)
        if "tenant" not in names:
            raise TenantNotNamed(sql)
        params["tenant"] = self.tenant_id
        return super()._bind(sql, params)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """Undoes the block when it raises, and leaves the transaction usable."""
        # One within another has a name of its own: else the outer block would be undone from there only.
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
        """Locks the key until the transaction ends. False at once when another transaction holds it."""
        claim = "SELECT pg_try_advisory_xact_lock($1)"
        locked: bool = await self._run(self._connection.fetchval, claim, [key])
        return locked
