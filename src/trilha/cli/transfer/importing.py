"""Loads an exported tenant, all or nothing: its rows in one transaction, and its files before the commit."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from msgspec import Struct

from trilha.cli.transfer import tables
from trilha.cli.transfer.archive import (
    FORMAT,
    ArchiveReader,
    FileHeader,
    Manifest,
    Summary,
    TableHeader,
    read_value,
)
from trilha.cli.transfer.exporting import DECODER, ENCODER, load_migrations
from trilha.cli.transfer.row_changes import ImportedRows, Resealing
from trilha.core.clock import Clock
from trilha.core.credentials import Actor
from trilha.core.database import Connection, Database
from trilha.core.database.logins import APP_ROLE
from trilha.core.file_store import FileStore
from trilha.core.resealing.columns import SealedColumn
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring
from trilha.core.types import Timestamp
from trilha.platform.tenants.operator import TenantError, begin_owner
from trilha.platform.tenants.tables import list_tenant_tables

Frames = Iterator[tuple[bytes, bytes]]


class ImportResult(Struct, frozen=True):
    tenant_id: UUID
    slug: str
    rows: int
    files: int
    file_bytes: int
    exported_at: Timestamp


class TenantImport:
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
        actor: Actor,
    ) -> None:
        self._url = url
        self._database = database
        self._files = files
        self._keyring = keyring
        self._columns = columns
        self._list_prefixes = list_prefixes
        self._clock = clock
        self._actor = actor

    async def run(self, source: Path, slug: str | None) -> ImportResult:
        """Raises TenantError. Nothing is left of an import that fails."""
        with source.open("rb") as file:
            frames = iter(ArchiveReader(file, self._keyring))
            manifest = await self._read_manifest(frames)
            async with (
                self._clean_up(manifest.tenant_id) as began,
                begin_owner(self._url, self._clock) as owner,
            ):
                loading = _Loading(owner, manifest, slug or manifest.slug, self._actor)
                await loading.create_tenant()
                began()
                # A killed import may have left files.
                await self._delete_files(manifest.tenant_id)
                summary = await self._load(loading, frames, manifest, owner)
                await loading.finish(summary)
                await self._files.settle()
        return ImportResult(
            manifest.tenant_id,
            loading.slug,
            sum(summary.rows.values()),
            summary.files,
            summary.file_bytes,
            manifest.exported_at,
        )

    async def _read_manifest(self, frames: Frames) -> Manifest:
        """Raises TenantError unless the rows fit this schema."""
        _, content = next(frames, (b"", b""))
        manifest = read_value(content, Manifest) if content else None
        if manifest is None or manifest.format != FORMAT:
            raise TenantError("The file is not an exported tenant that this version reads.")
        if manifest.migrations != await load_migrations(self._url):
            raise TenantError(
                f"The tenant was exported by version {manifest.version} with another schema: use the "
                "same version of Trilha on both sides."
            )
        return manifest

    @asynccontextmanager
    async def _clean_up(self, tenant_id: UUID) -> AsyncIterator[Callable[[], None]]:
        """Deletes the files of an import that fails after it began."""
        steps: list[str] = []
        try:
            yield lambda: steps.append("began")
        except BaseException:
            if steps:
                await self._delete_files(tenant_id)
            raise

    async def _load(
        self, loading: "_Loading", frames: Frames, manifest: Manifest, owner: Connection
    ) -> Summary:
        """Loads everything up to the summary. Raises TenantError."""
        keys = self._database.keyring
        resealing = Resealing(manifest.tenant_id, self._columns, self._keyring, keys)
        rows = ImportedRows(manifest.tenant_id, keys, resealing, owner)
        incoming = _IncomingFile(self._files, keys, self._list_prefixes(manifest.tenant_id))
        for kind, content in frames:
            if kind == b"T":
                await loading.begin_table(read_value(content, TableHeader))
            elif kind == b"R":
                batch = await rows.change(loading.table, DECODER.decode(content))
                await loading.insert(ENCODER.encode(batch).decode(), len(batch))
            elif kind == b"F":
                await incoming.begin(read_value(content, FileHeader))
            elif kind == b"D":
                incoming.write(content)
            elif kind == b"E":
                await incoming.end()
                return _check(read_value(content, Summary), incoming)
        raise TenantError("The file was cut short.")

    async def _delete_files(self, tenant_id: UUID) -> None:
        for prefix in self._list_prefixes(tenant_id):
            await self._files.delete_below(prefix)


class _IncomingFile:
    """Writes the files of the archive one after another, by way of a draft on this machine."""

    def __init__(self, files: FileStore, keyring: Keyring, prefixes: Sequence[str]) -> None:
        self.count = self.size = 0
        self._files = files
        self._sealed = SealedFiles(files, keyring)
        self._prefixes = tuple(f"{prefix}/" for prefix in prefixes)
        self._folder = tempfile.TemporaryDirectory()
        self._draft: BinaryIO | None = None
        self._header: FileHeader | None = None

    async def begin(self, header: FileHeader) -> None:
        """Raises TenantError for a file that is not the tenant's."""
        await self.end()
        if not header.key.startswith(self._prefixes):
            raise TenantError(f"The archive has a file of nobody: {header.key}.")
        self._header = header
        self._draft = (Path(self._folder.name) / "file").open("xb")

    def write(self, content: bytes) -> None:
        assert self._draft is not None
        self._draft.write(content)
        self.size += len(content)

    async def end(self) -> None:
        """Stores the file that was written, if there is one."""
        if self._header is None or self._draft is None:
            return
        self._draft.close()
        store = self._sealed if self._header.is_sealed else self._files
        await store.move(self._header.key, Path(self._draft.name))
        self.count += 1
        self._header = None


class _Loading:
    """The transaction that creates the tenant and inserts its rows, as the database's owner."""

    def __init__(self, owner: Connection, manifest: Manifest, slug: str, actor: Actor) -> None:
        self.slug = slug
        self.table = ""
        self._owner = owner
        self._manifest = manifest
        self._actor = actor
        self._insert = ""

    async def create_tenant(self) -> None:
        """Raises TenantError if the slug or the id is taken, or a domain belongs to another tenant."""
        manifest, owner = self._manifest, self._owner
        await owner.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        await owner.execute("SET LOCAL statement_timeout = 0")
        for column, value in (("slug", self.slug), ("id", manifest.tenant_id)):
            if await owner.value(f"SELECT EXISTS (SELECT FROM tenants WHERE {column} = :value)", value=value):  # noqa: S608
                raise TenantError(f"There is a tenant with the {column} {value}.")
        await owner.execute(
            """
            INSERT INTO tenants (id, slug, name, environment, locale, created_at)
            VALUES (:id, :slug, :name, :environment, :locale, :created_at)
            """,
            id=manifest.tenant_id,
            slug=self.slug,
            name=manifest.name,
            environment=manifest.environment,
            locale=manifest.locale,
            created_at=manifest.created_at,
        )
        await owner.execute(f"SET LOCAL trilha.tenant = '{manifest.tenant_id}'")
        await owner.execute("INSERT INTO tenant_homes (tenant_id) VALUES (:id)", id=manifest.tenant_id)
        self._tables = {
            table.name: set(tables.list_columns(table)) for table in await list_tenant_tables(owner)
        }
        await owner.execute(f"SET LOCAL ROLE {APP_ROLE}")
        for domain in manifest.domains:
            await self._take_domain(domain)

    async def begin_table(self, header: TableHeader) -> None:
        """Raises TenantError for a table that does not exist."""
        if self._tables.get(header.name) != set(header.columns):
            raise TenantError(f"The table {header.name} has other columns here.")
        self.table = header.name
        if tables.is_last(header.name):
            await self._owner.execute(
                f"DELETE FROM {header.name} WHERE tenant_id = :id",  # noqa: S608
                id=self._manifest.tenant_id,
            )
        names = ", ".join(f'"{column}"' for column in header.columns)
        self._insert = f"""
            INSERT INTO {header.name} ({names}) OVERRIDING SYSTEM VALUE
            SELECT {names} FROM jsonb_populate_recordset(NULL::{header.name}, CAST(:rows AS text)::jsonb)
        """  # noqa: S608

    async def insert(self, rows: str, count: int) -> None:
        if count:
            await self._owner.execute(self._insert, rows=rows)

    async def finish(self, summary: Summary) -> None:
        """Compares the numbers of rows, and records the import. Raises TenantError."""
        for name, expected in summary.rows.items():
            count = await self._owner.value(
                f"SELECT count(*) FROM {name} WHERE tenant_id = :id",  # noqa: S608
                id=self._manifest.tenant_id,
            )
            if count != expected and name != "scim_token_secrets":
                raise TenantError(f"{name} has {count} rows after the import, not {expected}.")
        highest = await self._owner.value(
            "SELECT COALESCE(max(badge_index), 0) FROM certificates WHERE tenant_id = :id",
            id=self._manifest.tenant_id,
        )
        await self._record()
        await self._owner.execute("RESET ROLE")
        # New certificates get greater numbers than those that were imported.
        await self._owner.execute(
            """
            SELECT setval(sequence, GREATEST(CAST(:highest AS bigint) + 1, nextval(sequence)), false)
            FROM (SELECT pg_get_serial_sequence('certificates', 'badge_index')::regclass AS sequence) AS found
            """,
            highest=highest,
        )

    async def _take_domain(self, domain: str) -> None:
        taken = await self._owner.execute(
            "INSERT INTO domain_owners (domain, owner) VALUES (:domain, :id) ON CONFLICT DO NOTHING",
            domain=domain,
            id=self._manifest.tenant_id,
        )
        if not taken:
            raise TenantError(f"Another tenant has the e-mail domain {domain}.")

    async def _record(self) -> None:
        await self._owner.execute(
            """
            INSERT INTO audit_records (tenant_id, action, target_id, target_name, actor_kind, actor, source,
                                       detail, created_at)
            VALUES (:id, 'tenant.imported', :id, :slug, :actor_kind, :actor, :source, '{}', :now)
            """,
            id=self._manifest.tenant_id,
            slug=self.slug,
            actor_kind=self._actor.kind,
            actor=self._actor.name,
            source=self._actor.source,
        )


def _check(summary: Summary, incoming: _IncomingFile) -> Summary:
    """Raises TenantError unless all files arrived."""
    if (incoming.count, incoming.size) != (summary.files, summary.file_bytes):
        raise TenantError("The archive does not have all files.")
    return summary
