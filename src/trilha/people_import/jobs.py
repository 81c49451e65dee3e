"""What the worker does for imports: their batches, the removal of their files, and of old reports."""

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID

from msgspec import convert

from trilha.core.clock import civil_date
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import ApiError
from trilha.core.jobs import Job, TenantJob, oldest
from trilha.core.passwords import HashedPassword, hash_password
from trilha.people_import import actions, queries, rows
from trilha.people_import.files import ImportFiles, read_kept, remove_kept
from trilha.people_import.schema import CheckedRow, RunningImport
from trilha.people_import.sheet import Dialect, read

BATCH = 500
REPORTS_KEPT = timedelta(days=30)
# How long a file waits for somebody to start it.
DRAFTS_KEPT = timedelta(days=1)
# How long a file may be there before its import is stored.
STRAYS_KEPT = timedelta(hours=1)


class ImportPeople:
    """The imports that wait or were left in the middle, one after the other."""

    name = "import people"
    rest = 1.0
    logged = True
    _due = oldest("imports", "has_file", "created_at")

    def __init__(self, address: str) -> None:
        self._address = address

    async def run_once(self, database: Database) -> int:
        async with database.unscoped() as unscoped:
            tenants = [row["tenant_id"] for row in await unscoped.rows(self._due)]
        return sum([await run_next(database, tenant_id, address=self._address) for tenant_id in tenants])


async def run_next(
    database: Database, tenant_id: UUID, import_id: UUID | None = None, *, address: str
) -> int:
    """Brings one import of the tenant to its end; how many rows were done here.

    `address` is what the links in e-mails begin with.
    """
    async with database.transaction(tenant_id) as tx:
        first = await queries.claim(tx, import_id)
    if first is None:
        return 0
    done = 0
    if first.state in ("WAITING", "RUNNING"):
        try:
            raw = await read_kept(Path(first.path), database.keyring)
            checked = await asyncio.to_thread(_check, first, raw, civil_date(database.clock()))
        except (OSError, ApiError) as error:
            failure = error.message if isinstance(error, ApiError) else "The file is not there any more."
            async with database.transaction(tenant_id, actor=_actor(first)) as tx:
                await actions.fail(tx, first.id, failure)
        else:
            done = await _run(database, tenant_id, first, checked, address)
    await _remove_file(database, tenant_id, first.id)
    return done


def _check(running: RunningImport, raw: bytes, today: date) -> list[CheckedRow]:
    """Every row of the file, checked as on this day."""
    return rows.check_all(read(raw, convert(running.dialect, Dialect)), running.mapping, today)


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
                return done  # another process goes on with it
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
    """The passwords of new people, by line: made before the transaction, and to be changed at sign-in."""
    given = {row.line: row.person for row in checked if row.person and row.person.password}
    if not given or running.dry_run:
        return {}
    async with database.transaction(tenant_id, read_only=True) as tx:
        known = await queries.known_emails(tx, [each.email for each in given.values() if each.email])
    hashed = {}
    for line, person in given.items():
        if person.email not in known:
            made = await hash_password(person.password)
            hashed[line] = HashedPassword(made.hash, temporary=person.password)
    return hashed


async def _remove_file(database: Database, tenant_id: UUID, import_id: UUID) -> None:
    """First the file, then what says that there is one: who is killed in between does it again."""
    async with database.transaction(tenant_id) as tx:
        finished = await queries.claim(tx, import_id)
        if finished and finished.state in ("DONE", "FAILED"):
            await remove_kept(Path(finished.path))
            await queries.forget_file(tx, import_id)


class SweepFiles:
    """Removes files that no import has: whoever kept them was killed before the import was stored."""

    name = "remove files of no import"
    rest = 3600.0
    logged = True

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    async def run_once(self, database: Database) -> int:
        removed = 0
        before = database.clock().timestamp() - STRAYS_KEPT.total_seconds()
        for tenant_id, path in await ImportFiles(self._data_dir, database.keyring).list_old(before):
            async with database.transaction(tenant_id, read_only=True) as tx:
                if await queries.has_path(tx, str(path)):
                    continue
            await remove_kept(path)
            removed += 1
        return removed


def _actor(running: RunningImport) -> Actor:
    """Who asked for the import makes its changes."""
    return Actor(running.actor_kind, running.actor, running.source)


async def close_unstarted(tx: Tx) -> int:
    return await queries.close_unstarted(tx, tx.now - DRAFTS_KEPT, 100)


async def prune(tx: Tx) -> int:
    return await queries.delete_finished(tx, tx.now - REPORTS_KEPT, 100)


def jobs(address: str, data_dir: Path) -> Sequence[Job]:
    return (
        ImportPeople(address),
        SweepFiles(data_dir),
        TenantJob(
            name="close imports that were not started",
            due=oldest("imports", "state IN ('DRAFT', 'CHECKED') AND created_at <= :before", "created_at"),
            batch=close_unstarted,
            rest=300,
            ages={"before": DRAFTS_KEPT},
        ),
        TenantJob(
            name="remove import reports",
            due=oldest("imports", "finished_at <= :before", "finished_at"),
            batch=prune,
            rest=300,
            ages={"before": REPORTS_KEPT},
        ),
    )
