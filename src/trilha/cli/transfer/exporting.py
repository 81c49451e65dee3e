"""Writes a tenant into one encrypted file, with flat memory, while the installation works."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from msgspec import Struct

from trilha.cli.transfer import tables
from trilha.cli.transfer.archive import FORMAT, ArchiveWriter, FileHeader, Manifest, Summary, TableHeader
from trilha.cli.transfer.row_changes import Resealing
from trilha.core.clock import Clock
from trilha.core.database import Connection, Database
from trilha.core.database.logins import APP_ROLE
from trilha.core.file_store import FileStore
from trilha.core.resealing.columns import SealedColumn
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring
from trilha.core.types import Timestamp
from trilha.platform.backups.rows import SESSION, sees_every_row
from trilha.platform.tenants.operator import TenantError
from trilha.platform.tenants.schema import Tenant
from trilha.platform.tenants.tables import TenantTable, list_tenant_tables

_BATCH_BYTES = 1 << 20
# Numbers keep all their digits.
DECODER = msgspec.json.Decoder(float_hook=Decimal)
ENCODER = msgspec.json.Encoder(decimal_format="number")


class ExportResult(Struct, frozen=True):
    tenant_id: UUID
    slug: str
    rows: int
    files: int
    file_bytes: int
    output: str


class TenantExport:
    """`keyring` has the transfer key."""

    def __init__(
        self,
        url: str,
        database: Database,
        files: FileStore,
        keyring: Keyring,
        columns: Sequence[SealedColumn],
        list_prefixes: Callable[[UUID], Sequence[str]],
        clock: Clock,
        version: str,
    ) -> None:
        self._url = url
        self._database = database
        self._files = files
        self._sealed = SealedFiles(files, database.keyring)
        self._keyring = keyring
        self._columns = columns
        self._list_prefixes = list_prefixes
        self._clock = clock
        self._version = version

    async def run(self, tenant: Tenant, output: Path) -> ExportResult:
        """Raises TenantError, FileExistsError. The file appears under its name once it is whole."""
        if await asyncio.to_thread(output.exists):
            raise TenantError(f"{output} exists already.")
        draft = output.with_name(f"{output.name}.part")
        try:
            with await asyncio.to_thread(open, draft, "wb", opener=_for_us_alone) as file:
                writer = ArchiveWriter(file, self._keyring)
                summary = await self._write(tenant, writer)
                writer.close()
                file.flush()
                os.fsync(file.fileno())
            draft.replace(output)
        finally:
            draft.unlink(missing_ok=True)
        rows = sum(summary.rows.values())
        return ExportResult(tenant.id, tenant.slug, rows, summary.files, summary.file_bytes, str(output))

    async def _write(self, tenant: Tenant, writer: ArchiveWriter) -> Summary:
        counts: dict[str, int] = {}
        async with _snapshot(self._url, self._clock, tenant.id) as (connection, raw):
            moving = tables.list_in_order(await list_tenant_tables(connection))
            writer.write_value(b"M", await self._describe(connection, tenant))
            for table in moving:
                columns = tables.list_columns(table)
                writer.write_value(b"T", TableHeader(table.name, columns))
                counts[table.name] = await self._write_rows(raw, tenant.id, table, writer)
        count, size = await self._write_files(tenant.id, writer)
        summary = Summary(counts, count, size)
        writer.write_value(b"E", summary)
        return summary

    async def _describe(self, connection: Connection, tenant: Tenant) -> Manifest:
        return Manifest(
            format=FORMAT,
            version=self._version,
            migrations=await load_migrations(self._url),
            exported_at=Timestamp.of(self._clock()),
            tenant_id=tenant.id,
            slug=tenant.slug,
            name=tenant.name,
            environment=tenant.environment,
            locale=tenant.locale,
            created_at=tenant.created_at,
            domains=[
                row["domain"]
                for row in await connection.rows(
                    "SELECT domain FROM domain_owners WHERE owner = :id ORDER BY 1", id=tenant.id
                )
            ],
        )

    async def _write_rows(self, raw: Any, tenant_id: UUID, table: TenantTable, writer: ArchiveWriter) -> int:
        """Copies the rows as JSON, and returns their number."""
        resealing = Resealing(tenant_id, self._columns, self._database.keyring, self._keyring)
        batch = _Batch(writer, resealing, table)
        where = f"tenant_id = '{tenant_id}'"
        if table.name in tables.FILTERS:
            where += f" AND {tables.FILTERS[table.name]}"
        order = f" ORDER BY {tables.ORDERS[table.name]}" if table.name in tables.ORDERS else ""
        query = f'SELECT to_jsonb(t)::text FROM "{table.name}" AS t WHERE {where}{order}'  # noqa: S608
        await raw.copy_from_query(query, output=batch.take, format="csv")
        batch.flush()
        return batch.count

    async def _write_files(self, tenant_id: UUID, writer: ArchiveWriter) -> tuple[int, int]:
        count = size = 0
        for prefix in self._list_prefixes(tenant_id):
            async for listed in self._files.list_below(prefix):
                for file in listed:
                    written = await self._write_file(file.key, writer)
                    count, size = count + (written is not None), size + (written or 0)
        return count, size

    async def _write_file(self, key: str, writer: ArchiveWriter) -> int | None:
        """Returns the file's size, or None if it was deleted meanwhile."""
        try:
            header = FileHeader(key, await self._sealed.is_sealed(key))
            pieces = self._sealed.read(key)
            first = await anext(pieces, b"")
        except FileNotFoundError:
            return None
        writer.write_value(b"F", header)
        writer.write(b"D", first)
        size = len(first)
        async for piece in pieces:
            writer.write(b"D", piece)
            size += len(piece)
        return size


class _Batch:
    """Collects the rows of a table as lines of JSON, and writes them in pieces."""

    def __init__(self, writer: ArchiveWriter, resealing: Resealing, table: TenantTable) -> None:
        self.count = 0
        self._writer = writer
        self._resealing = resealing
        self._table = table
        self._rest = b""
        self._lines: list[bytes] = []
        self._size = 0

    async def take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in map(_unquote, lines):
            if self._resealing.has_columns(self._table.name):
                row = DECODER.decode(line)
                self._resealing.change(self._table.name, row)
                line = ENCODER.encode(row)
            self._lines.append(line)
            self._size += len(line)
            if self._size >= _BATCH_BYTES and not tables.is_in_one_batch(self._table):
                self.flush()
                await asyncio.sleep(0)

    def flush(self) -> None:
        if self._lines:
            self._writer.write(b"R", b"[" + b",".join(self._lines) + b"]")
        self.count += len(self._lines)
        self._lines, self._size = [], 0


async def load_migrations(url: str) -> list[str]:
    connection = await asyncpg.connect(url)
    try:
        return [
            row["name"] for row in await connection.fetch("SELECT name FROM schema_migrations ORDER BY name")
        ]
    finally:
        await connection.close()


@asynccontextmanager
async def _snapshot(url: str, clock: Clock, tenant_id: UUID) -> AsyncIterator[tuple[Connection, Any]]:
    """Reads the tenant's rows at one point in time, as the owner or under the tenant's role."""
    raw = await asyncpg.connect(url, server_settings=SESSION)
    try:
        async with raw.transaction(isolation="repeatable_read", readonly=True):
            if not await sees_every_row(raw):
                await raw.execute(f"SET LOCAL ROLE {APP_ROLE}; SET LOCAL trilha.tenant = '{tenant_id}'")
            yield Connection(raw, clock), raw
    finally:
        await raw.close()


def _unquote(line: bytes) -> bytes:
    """Reads a line of CSV with one column. The JSON in it has quotes, so PostgreSQL quotes it."""
    return line[1:-1].replace(b'""', b'"') if line.startswith(b'"') else line


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
