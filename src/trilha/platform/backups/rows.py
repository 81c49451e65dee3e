"""Copies tables as PostgreSQL's text format, which every version and every extension reads."""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database.logins import APP_ROLE
from trilha.platform.backups.schema import TableCopy

_PART_BYTES = 32 << 20
# Both sides write and read values alike, whatever the server's own settings.
SESSION = {
    "timezone": "UTC",
    "datestyle": "ISO",
    "intervalstyle": "iso_8601",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "lock_timeout": "0",
}
# What happens to the objects of a table: they are stored, or only counted.
PutPart = Callable[[int, bytes], Awaitable[None]]


class Table(Struct, frozen=True):
    """A table, and whether row-level security applies to the database's owner, too."""

    name: str
    columns: list[str]
    is_guarded: bool


async def list_tables(connection: Any) -> list[Table]:
    """Lists the tables with their stored columns, except those that a crash of the server empties."""
    rows = await connection.fetch(
        """
        SELECT c.relname AS name, c.relforcerowsecurity AS is_guarded,
               array_agg(a.attname::text ORDER BY a.attnum) AS columns
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p'
              AND c.relname <> 'schema_migrations'
              AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        GROUP BY c.oid ORDER BY c.relname
        """
    )
    return [Table(row["name"], row["columns"], row["is_guarded"]) for row in rows]


async def sees_every_row(connection: Any) -> bool:
    """Returns whether row-level security does not apply to this user."""
    return bool(
        await connection.fetchval(
            "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        )
    )


async def copy_table(
    connection: Any, table: Table, tenants: Sequence[UUID] | None, put: PutPart
) -> TableCopy:
    """Copies a table's rows. With `tenants`, as the role of each of them, for an owner who sees no row.

    Row-level security then selects the tenant's rows.
    """
    writer = _Writer(put)
    columns = ", ".join(map(_quote, table.columns))
    select = f"SELECT {columns} FROM {_quote(table.name)}"  # noqa: S608
    if tenants is None or not table.is_guarded:
        await connection.copy_from_query(select, output=writer.write, format="text")
    else:
        for tenant_id in tenants:
            await connection.execute(f"SET LOCAL ROLE {APP_ROLE}; SET LOCAL trilha.tenant = '{tenant_id}'")
            await connection.copy_from_query(select, output=writer.write, format="text")
            await connection.execute("RESET ROLE")
    await writer.flush()
    return TableCopy(table.name, table.columns, writer.digest.rows, writer.digest.hex(), writer.parts)


async def load_table(connection: Any, copy: TableCopy, source: AsyncIterator[bytes]) -> TableCopy:
    """Loads a table's rows, and returns what was loaded, to be compared."""
    digest = RowDigest()

    async def count() -> AsyncIterator[bytes]:
        async for piece in source:
            digest.update(piece)
            yield piece

    await connection.copy_to_table(copy.name, source=count(), columns=copy.columns, format="text")
    return TableCopy(copy.name, copy.columns, digest.rows, digest.hex(), copy.parts)


class RowDigest:
    """Counts rows and adds up their hashes, so that the order of the rows does not matter."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0
        self._rest = b""

    def update(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.rows += len(lines)
        self._sum += sum(int.from_bytes(hashlib.sha256(line).digest()) for line in lines)

    def hex(self) -> str:
        return f"{self._sum % (1 << 256):064x}"


class _Writer:
    """Cuts the rows into parts that fit into memory."""

    def __init__(self, put: PutPart) -> None:
        self.digest = RowDigest()
        self.parts = 0
        self._put = put
        self._held = bytearray()

    async def write(self, data: bytes) -> None:
        self.digest.update(data)
        self._held += data
        if len(self._held) >= _PART_BYTES:
            await self.flush()

    async def flush(self) -> None:
        if self._held:
            await self._put(self.parts, bytes(self._held))
            self.parts += 1
            self._held.clear()


async def discard(_: int, __: bytes) -> None:
    """Stores nothing, to count only."""


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
