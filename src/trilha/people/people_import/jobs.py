"""The worker's jobs for imports: running batches, removing files, and removing old reports."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID

from msgspec import convert

from trilha.core.clock import civil_date
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import ApiError
from trilha.core.file_store import FileStore
from trilha.core.jobs import Job, TenantJob, oldest
from trilha.core.passwords import HashedPassword, hash_password
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.custom_fields.schema import CustomField
from trilha.people.people_import import actions, queries, rows
from trilha.people.people_import.files import ImportFiles, explain_missing, remove_from_folder
from trilha.people.people_import.schema import CheckedRow, RunningImport
from trilha.people.people_import.sheet import Dialect, read

BATCH = 500
REPORT_RETENTION = timedelta(days=30)
# How long an uploaded file waits for a person to start its import.
DRAFT_RETENTION = timedelta(days=1)
# How long a file may exist before its import is stored.
STRAY_RETENTION = timedelta(hours=1)


class ImportPeople:
    """Runs waiting and interrupted imports, one after the other."""

    name = "import people"
    rest = 1.0
    is_logged = True
    _due = oldest("imports", "has_file", "created_at")

    def __init__(self, store: FileStore, address: str) -> None:
        self._store = store
        self._address = address

    async def run_once(self, database: Database) -> int:
        tenants = [row["tenant_id"] for row in await database.search(self._due)]
        files = ImportFiles(self._store, database.keyring)
        return sum([await run_next(database, files, each, address=self._address) for each in tenants])


async def run_next(
    database: Database, files: ImportFiles, tenant_id: UUID, import_id: UUID | None = None, *, address: str
) -> int:
    """Runs one import of the tenant to its end. Returns the number of rows done here.

    `address` is the base of links in e-mails.
    """
    async with database.transaction(tenant_id) as tx:
        first = await queries.claim(tx, import_id)
        fields = {field.key: field for field in await custom_fields.list_fields(tx)} if first else {}
    if first is None:
        return 0
    done = 0
    if first.state in ("WAITING", "RUNNING"):
        try:
            raw = await files.read(first.path)
            checked = await asyncio.to_thread(_check, first, raw, civil_date(database.clock()), fields)
        except (FileNotFoundError, ApiError) as error:
            failure = error.message if isinstance(error, ApiError) else explain_missing(first.path)
            async with database.transaction(tenant_id, actor=_actor(first)) as tx:
                await actions.fail(tx, first.id, failure)
        else:
            done = await _run(database, tenant_id, first, checked, address)
    await _remove_file(database, files, tenant_id, first.id)
    return done


def _check(
    running: RunningImport, raw: bytes, today: date, fields: Mapping[str, CustomField]
) -> list[CheckedRow]:
    """Checks every row of the file, with rules as of this day."""
    return rows.check_all(read(raw, convert(running.dialect, Dialect)), running.mapping, today, fields)


async def _run(
    database: Database, tenant_id: UUID, first: RunningImport, checked: list[CheckedRow], address: str
) -> int:
    done = 0
    at: int | None = first.done
    while at is not None and at < len(checked):
        passwords = await _hash(database, tenant_id, first, checked[at : at + BATCH])
        async with database.transaction(tenant_id, actor=_actor(first)) as tx:
            running = await queries.claim(tx, first.id)
            if running is None:
                return done  # Another process has taken over.
            if running.done == at:
                batch = checked[at : at + BATCH]
                await actions.do_batch(tx, running, batch, passwords, address)
                done += len(batch)
                at += len(batch)
            else:
                at = running.done
    return done


async def _hash(
    database: Database, tenant_id: UUID, running: RunningImport, checked: list[CheckedRow]
) -> dict[int, HashedPassword]:
    """Hashes the passwords of new people, by line, before the transaction. They must be changed at sign-
    in.
    """
    people = {row.line: row.person for row in checked if row.person and row.person.password}
    if not people or running.dry_run:
        return {}
    async with database.transaction(tenant_id, read_only=True) as tx:
        known = await queries.find_known_emails(
            tx, [person.email for person in people.values() if person.email]
        )
    hashed = {}
    for line, person in people.items():
        if person.email not in known:
            password = await hash_password(person.password)
            hashed[line] = HashedPassword(password.hash, temporary=person.password)
    return hashed


async def _remove_file(database: Database, files: ImportFiles, tenant_id: UUID, import_id: UUID) -> None:
    """Removes the file before the row's reference to it, so that the removal is repeated after a crash in
    between.
    """
    async with database.transaction(tenant_id) as tx:
        finished = await queries.claim(tx, import_id)
        if finished and finished.state in ("DONE", "FAILED"):
            await files.remove(finished.path)
            await queries.forget_file(tx, import_id)


class SweepFiles:
    """Removes files without an import, left by a process that was killed before it stored the import."""

    name = "remove files of no import"
    rest = 3600.0
    is_logged = True

    def __init__(self, store: FileStore, old_folder: Path) -> None:
        """`old_folder` was used before the file store."""
        self._store = store
        self._old_folder = old_folder

    async def run_once(self, database: Database) -> int:
        now = database.clock()
        # No import waits as long for its file.
        removed = await asyncio.to_thread(remove_from_folder, self._old_folder, now - 2 * DRAFT_RETENTION)
        files = ImportFiles(self._store, database.keyring)
        async for batch in files.list_old(now - STRAY_RETENTION):
            for tenant_id, path in batch:
                async with database.transaction(tenant_id, read_only=True) as tx:
                    if await queries.has_path(tx, path):
                        continue
                await files.remove(path)
                removed += 1
        return removed


def _actor(running: RunningImport) -> Actor:
    """Returns the actor that started the import, so that changes are recorded under that name."""
    return Actor(running.actor_kind, running.actor, running.source)


async def close_unstarted(tx: Tx) -> int:
    return await queries.close_unstarted(tx, tx.now - DRAFT_RETENTION, 100)


async def prune(tx: Tx) -> int:
    return await queries.delete_finished(tx, tx.now - REPORT_RETENTION, 100)


def jobs(store: FileStore, address: str, old_folder: Path) -> Sequence[Job]:
    return (
        ImportPeople(store, address),
        SweepFiles(store, old_folder),
        TenantJob(
            name="close imports that were not started",
            due=oldest("imports", "state IN ('DRAFT', 'CHECKED') AND created_at <= :before", "created_at"),
            batch=close_unstarted,
            rest=300,
            ages={"before": DRAFT_RETENTION},
        ),
        TenantJob(
            name="remove import reports",
            due=oldest("imports", "finished_at <= :before", "finished_at"),
            batch=prune,
            rest=300,
            ages={"before": REPORT_RETENTION},
        ),
    )
