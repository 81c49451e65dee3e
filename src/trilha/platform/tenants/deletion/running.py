"""Runs a deletion, from where it stopped to its proof."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from uuid import UUID

import asyncpg
from msgspec import Struct

from trilha.core.credentials import Actor
from trilha.core.database import CONFLICT_ERRORS, Connection, Database, Tx
from trilha.core.file_store import FileStore
from trilha.core.resealing.files import SealedKind
from trilha.platform.tenants.deletion import records
from trilha.platform.tenants.deletion.proof import build_proof, hash_deletion
from trilha.platform.tenants.deletion.schema import (
    Deletion,
    DeletionCheck,
    DeletionProof,
    EvidenceSummary,
    Inventory,
)
from trilha.platform.tenants.operator import TenantError
from trilha.platform.tenants.tables import TenantTable, list_tenant_tables

_BATCH = 5000
_FILES_OF_ROWS = 500
# A worker that was at work when the deletion began may still add a row, or hold one.
_PASSES = 20
# Only the owner deletes their rows, or they go with the rows that they belong to.
_OF_OWNER = ("audit_records", "tenant_homes")
Report = Callable[[str], None]
BeginOwner = Callable[[], AbstractAsyncContextManager[Connection]]


class TenantContents(Struct, frozen=True):
    """Where the features have what belongs to a tenant beside its rows.

    `list_prefixes` returns the prefixes of its files. `shared_kinds` are files below no such prefix, which
    rows name. `summarize_evidence` reads the evidence logs.
    """

    list_prefixes: Callable[[UUID], Sequence[str]]
    shared_kinds: Sequence[SealedKind]
    summarize_evidence: Callable[[Tx], Awaitable[EvidenceSummary]]


class DeleteTenant:
    """Deletions in one installation. `begin_owner` opens transactions of the database's owner."""

    def __init__(
        self,
        database: Database,
        begin_owner: BeginOwner,
        files: FileStore,
        contents: TenantContents,
        actor: Actor,
        report: Report,
    ) -> None:
        self._database = database
        self._begin_owner = begin_owner
        self._files = files
        self._contents = contents
        self._actor = actor
        self._report = report

    async def run(self, slug: str) -> DeletionProof:
        """Deletes the tenant, or continues. Raises TenantError."""
        deletion = await self._begin(slug)
        tables = await self._list_tables()
        if deletion.counted_at is None:
            await self._count(deletion, tables)
        for kind in self._contents.shared_kinds:
            await self._delete_files_of_rows(deletion.deleted_tenant, kind)
        await self._delete_rows(deletion.deleted_tenant, tables)
        for prefix in self._contents.list_prefixes(deletion.deleted_tenant):
            await self._files.delete_below(prefix)
        await self._delete_audit_records(deletion.deleted_tenant)
        async with self._begin_owner() as owner:
            finished = await records.finish(owner, self._database.keyring, deletion.id, self._actor)
        return build_proof(finished)

    async def check(self, id: UUID) -> DeletionCheck:
        """Checks a proof, and that nothing of the tenant is left. Raises TenantError."""
        async with self._begin_owner() as owner:
            deletion = await records.get(owner, id)
            if deletion is None:
                raise TenantError(f"There is no deletion {id}.")
            if deletion.finished_at is None:
                raise TenantError(
                    f"The deletion of {deletion.slug} is not finished; run `trilha tenant delete` again."
                )
            problems = await self._check_row(owner, deletion)
        return DeletionCheck(build_proof(deletion), problems + await self._find_leftovers(deletion))

    async def _begin(self, slug: str) -> Deletion:
        async with self._begin_owner() as owner:
            deletion = await records.find_unfinished(owner, slug)
            if deletion is None:
                deletion = await records.begin(owner, slug, self._actor)
            else:
                self._report(f"continuing the deletion that began at {deletion.started_at}")
        if deletion is None:
            raise TenantError(f"There is no tenant with the slug {slug}.")
        return deletion

    async def _list_tables(self) -> list[TenantTable]:
        async with self._begin_owner() as owner:
            return await list_tenant_tables(owner)

    async def _count(self, deletion: Deletion, tables: Sequence[TenantTable]) -> None:
        async with self._database.transaction(deletion.deleted_tenant, read_only=True) as tx:
            rows = await _count_rows(tx, tables)
            evidence = await self._contents.summarize_evidence(tx)
        files, size = await self._measure_files(deletion.deleted_tenant)
        async with self._begin_owner() as owner:
            await records.set_inventory(owner, deletion.id, Inventory(rows, files, size, evidence))

    async def _measure_files(self, tenant_id: UUID) -> tuple[int, int]:
        """Returns the number of files and their bytes."""
        count = size = 0
        async for batch in self._list_files(tenant_id):
            count += len(batch)
            size += sum(batch)
        return count, size

    async def _list_files(self, tenant_id: UUID) -> AsyncIterator[list[int]]:
        """Yields the sizes of files in batches."""
        for prefix in self._contents.list_prefixes(tenant_id):
            async for files in self._files.list_below(prefix):
                yield [file.size for file in files]
        for kind in self._contents.shared_kinds:
            async for keys in self._list_keys_of_rows(tenant_id, kind):
                sizes = [await self._files.size(key) for key in keys]
                yield [size for size in sizes if size is not None]

    async def _list_keys_of_rows(self, tenant_id: UUID, kind: SealedKind) -> AsyncIterator[list[str]]:
        after = UUID(int=0)
        while True:
            async with self._database.transaction(tenant_id) as tx:
                rows = await tx.rows(kind.select, after=after, limit=_FILES_OF_ROWS)
            if not rows:
                return
            yield [kind.key(tenant_id, row) for row in rows]
            after = rows[-1]["id"]

    async def _delete_files_of_rows(self, tenant_id: UUID, kind: SealedKind) -> None:
        async for keys in self._list_keys_of_rows(tenant_id, kind):
            await self._files.delete(*keys)

    async def _delete_rows(self, tenant_id: UUID, tables: Sequence[TenantTable]) -> None:
        """Deletes in passes until a pass finds nothing. Raises TenantError."""
        for _ in range(_PASSES):
            deleted = 0
            for table in tables:
                if table.may_delete:
                    deleted += await self._empty(tenant_id, table)
            deleted += await self._release_domains(tenant_id)
            if not deleted and not await self._find_rows(tenant_id, tables):
                return
        raise TenantError("Rows are still being added; stop the workers and run this again.")

    async def _empty(self, tenant_id: UUID, table: TenantTable) -> int:
        """Deletes a table's rows in batches, each a transaction. Rows in use are left for the next pass."""
        # Rows that refer to each other are few, and go together.
        some = f"AND ctid IN (SELECT ctid FROM {table.name} WHERE tenant_id = :tenant LIMIT {_BATCH})"  # noqa: S608
        sql = f"DELETE FROM {table.name} WHERE tenant_id = :tenant {'' if table.refers_to_itself else some}"  # noqa: S608
        total = 0
        while True:
            try:
                async with self._database.transaction(tenant_id) as tx:
                    deleted = await tx.execute(sql)
            except (*CONFLICT_ERRORS, asyncpg.ForeignKeyViolationError):
                return total + 1
            total += deleted
            if not deleted:
                if total:
                    self._report(f"table {table.name}: {total}")
                return total

    async def _release_domains(self, tenant_id: UUID) -> int:
        async with self._database.transaction(tenant_id) as tx:
            return await tx.execute("DELETE FROM domain_owners WHERE owner = :tenant")

    async def _find_rows(self, tenant_id: UUID, tables: Sequence[TenantTable]) -> dict[str, int]:
        """Counts the rows that are left, without those that are deleted at the end."""
        async with self._database.transaction(tenant_id, read_only=True) as tx:
            counts = await _count_rows(tx, tables)
        return {name: count for name, count in counts.items() if count and name not in _OF_OWNER}

    async def _delete_audit_records(self, tenant_id: UUID) -> None:
        deleted = 1
        while deleted:
            async with self._begin_owner() as owner:
                deleted = await records.delete_audit_records(owner, tenant_id, _BATCH)

    async def _check_row(self, owner: Connection, deletion: Deletion) -> list[str]:
        problems = []
        if hash_deletion(self._database.keyring, deletion) != deletion.hash:
            problems.append("The record was changed after the deletion.")
        before = await records.find_hash_of(owner, (deletion.number or 0) - 1)
        if (before or b"") != deletion.previous:
            problems.append("The record of the deletion before this one was changed or removed.")
        if await records.has_tenant(owner, deletion.deleted_tenant):
            problems.append("The tenant exists.")
        return problems

    async def _find_leftovers(self, deletion: Deletion) -> list[str]:
        tables = await self._list_tables()
        async with self._database.transaction(deletion.deleted_tenant, read_only=True) as tx:
            counts = await _count_rows(tx, tables)
        files, _ = await self._measure_files(deletion.deleted_tenant)
        problems = [f"{name} has {count} rows of the tenant." for name, count in counts.items() if count]
        return problems + ([f"The file store has {files} files of the tenant."] if files else [])


async def _count_rows(tx: Tx, tables: Sequence[TenantTable]) -> dict[str, int]:
    """Returns the number of a tenant's rows by table, and that of the domains that it owns."""
    counts = {
        table.name: await tx.value(f"SELECT count(*) FROM {table.name} WHERE tenant_id = :tenant")  # noqa: S608
        for table in sorted(tables, key=lambda table: table.name)
    }
    counts["domain_owners"] = await tx.value("SELECT count(*) FROM domain_owners WHERE owner = :tenant")
    return counts
