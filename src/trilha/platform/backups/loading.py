"""Loads the rows of a backup into an empty database, in one transaction.

Foreign keys, and the indexes that no constraint needs, are dropped first and made again at the end: that is
faster, the order of the tables does not matter, and every foreign key is checked.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import asyncpg
from msgspec import Struct

from trilha.core.database.migrate import migrate
from trilha.platform.backups import rows
from trilha.platform.backups.destination import BackupError, Destination, table_part
from trilha.platform.backups.schema import Manifest

Report = Callable[[str], None]


class _Schema(Struct, frozen=True):
    """The statements that drop what hinders loading, and those that make it again."""

    dropping: list[str]
    making: list[str]


async def holds_tenants(url: str) -> bool:
    """Returns whether a database is in use."""
    connection = await asyncpg.connect(url)
    try:
        if await connection.fetchval("SELECT to_regclass('tenants')") is None:
            return False
        return bool(await connection.fetchval("SELECT EXISTS (SELECT FROM tenants)"))
    finally:
        await connection.close()


async def load_database(
    url: str, destination: Destination, manifest: Manifest, report: Report, *, paused: bool = False
) -> int:
    """Replaces the database's schema by that of the backup, and loads its rows. Returns their number.

    If it fails, the database is left without rows. With `paused`, webhook endpoints are inactive and waiting
    e-mails are given up. Raises BackupError, MigrationError.
    """
    await _empty(url)
    await migrate(url, names=manifest.migrations)
    connection = await asyncpg.connect(url, server_settings=rows.SESSION)
    try:
        async with connection.transaction():
            schema = await _load_schema(connection)
            for statement in schema.dropping:
                await connection.execute(statement)
            await _load_tables(connection, destination, manifest, report)
            for name, value in manifest.sequences.items():
                await connection.execute("SELECT setval($1::text::regclass, $2, false)", f'"{name}"', value)
            if paused:
                await _pause(connection)
            report("indexes and foreign keys")
            for statement in schema.making:
                await connection.execute(statement)
        await connection.execute("ANALYZE")
    finally:
        await connection.close()
    return sum(table.rows for table in manifest.tables)


async def compare_database(url: str, manifest: Manifest) -> list[str]:
    """Reads all rows again and compares them with the backup's. Returns the differences as sentences."""
    connection = await asyncpg.connect(url, server_settings=rows.SESSION)
    problems = []
    try:
        tables = {table.name: table for table in await rows.list_tables(connection)}
        for expected in manifest.tables:
            async with connection.transaction():
                copy = await rows.copy_table(connection, tables[expected.name], None, rows.discard)
            if (copy.rows, copy.digest) != (expected.rows, expected.digest):
                problems.append(
                    f"{copy.name} has other rows than the backup: {copy.rows}, not {expected.rows}."
                )
    finally:
        await connection.close()
    return problems


async def _empty(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        if await connection.fetchval("SELECT to_regclass('schema_migrations')") is not None:
            schema = await connection.fetchval("SELECT quote_ident(current_schema())")
            await connection.execute(f"DROP SCHEMA {schema} CASCADE; CREATE SCHEMA {schema}")
    finally:
        await connection.close()


async def _load_tables(connection: Any, destination: Destination, manifest: Manifest, report: Report) -> None:
    for number, copy in enumerate(manifest.tables):
        source = _read_parts(destination, manifest.id, number, copy.parts)
        loaded = await rows.load_table(connection, copy, source)
        if loaded != copy:
            raise BackupError(
                f"The rows of {copy.name} at the destination are not those that were backed up."
            )
        if copy.rows:
            report(f"table {copy.name}: {copy.rows}")


async def _read_parts(destination: Destination, id: str, table: int, parts: int) -> AsyncIterator[bytes]:
    for part in range(parts):
        yield await destination.read(table_part(id, table, part))


async def _load_schema(connection: Any) -> _Schema:
    constraints = await connection.fetch(
        """
        SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name,
               pg_get_constraintdef(oid) AS definition
        FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype = 'f'
        """
    )
    indexes = await connection.fetch(
        """
        SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
              AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
        """
    )
    tables = await connection.fetch(
        """
        SELECT oid::regclass::text AS name, relforcerowsecurity AS is_guarded FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
              AND relname <> 'schema_migrations'
        """
    )
    guarded = [table["name"] for table in tables if table["is_guarded"]]
    every = [table["name"] for table in tables]
    return _Schema(
        dropping=[
            *(f"ALTER TABLE {each['table']} DROP CONSTRAINT {each['name']}" for each in constraints),
            *(f"DROP INDEX {each['name']}" for each in indexes),
            # The owner is bound by row-level security, and triggers would count rows a second time.
            *(f"ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY" for name in guarded),
            *(f"ALTER TABLE {name} DISABLE TRIGGER USER" for name in every),
            f"TRUNCATE {', '.join(every)}",
        ],
        making=[
            *_make_indexes(indexes),
            *(
                f"ALTER TABLE {each['table']} ADD CONSTRAINT {each['name']} {each['definition']}"
                for each in constraints
            ),
            *(f"ALTER TABLE {name} ENABLE TRIGGER USER" for name in every),
            *(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY" for name in guarded),
        ],
    )


def _make_indexes(indexes: Sequence[Any]) -> list[str]:
    return ["SET LOCAL maintenance_work_mem = '512MB'", *(each["definition"] for each in indexes)]


async def _pause(connection: Any) -> None:
    """Keeps a copy from sending what the original sends."""
    await connection.execute("UPDATE webhook_endpoints SET active = false")
    await connection.execute(
        """
        UPDATE mail_messages
        SET status = 'FAILED', content = NULL, next_attempt_at = NULL, error = 'restored copy'
        WHERE status = 'PENDING'
        """
    )
