"""trilha backup …, trilha restore"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

import click

from trilha import __version__, settings
from trilha.app import FEATURES
from trilha.cli.output import EXPECTED_ERRORS, CommandError, as_json, explain, run, show
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.database.migrate import migrate
from trilha.core.file_store import open_file_store
from trilha.core.secrets import Keyring, parse_keyring
from trilha.core.variables import SettingError
from trilha.platform.backups import pruning, queries, restoring
from trilha.platform.backups.creating import Backup
from trilha.platform.backups.destination import BackupError, Destination
from trilha.platform.backups.schema import BackupSummary, Check, Manifest
from trilha.platform.tenants.operator import operator
from trilha.runtime import bring_up_to_date, data_folder, keyring, owner_url, read_master_key
from trilha.settings import Settings
from trilha.training.learning.evidence import verification

T = TypeVar("T")
_PAGE = 500


def _report(line: str) -> None:
    click.echo(line, err=True)


@click.group(invoke_without_command=True)
@click.option("--with-master-key", is_flag=True, help="Also store the master key in the backup.")
@as_json
@click.pass_context
def backup(context: click.Context, with_master_key: bool, as_json: bool) -> None:
    """Back up the database and the files, encrypted, to TRILHA_BACKUP_URL, while the server runs."""
    if context.invoked_subcommand:
        return

    async def work(current: Settings, url: str) -> object:
        master_key = read_master_key(current) if with_master_key else None
        destination = _open_destination(current)
        files = current.open_files()
        run = Backup(
            *(url, files, destination, system_clock, _report), version=__version__, master_key=master_key
        )
        return await run.run()

    show(_run(work), as_json)


@backup.command("list")
@as_json
def list_command(as_json: bool) -> None:
    """List the complete backups, the oldest first."""

    async def work(current: Settings) -> list[BackupSummary]:
        destination = _open_destination(current)
        ids, _ = await destination.list_ids()
        return [_summarize(await destination.read_manifest(id)) for id in ids]

    show(_run_without_database(work), as_json)


@backup.command()
@click.argument("id", required=False)
@as_json
def verify(id: str | None, as_json: bool) -> None:
    """Restore a backup into a database that is thrown away, and compare everything. The exit code is 1 if
    anything is wrong. Without ID, the latest one.
    """

    async def work(current: Settings, url: str) -> Check:
        destination = _open_destination(current)
        manifest = await destination.read_manifest(await destination.find_id(id))
        keys = keyring(current)
        check_content = build_content_check(keys) if restoring.opens_with(keys, manifest) else None
        check = await restoring.verify(destination, manifest, _report, check_content)
        if not check.problems:
            await queries.note_verified(url, manifest.id, system_clock)
        return check

    check = _run(work)
    show(check, as_json)
    if check.problems:
        sys.exit(1)


@backup.command()
@click.option("--keep", type=click.IntRange(1), required=True, metavar="N", help="How many stay.")
@as_json
def prune(keep: int, as_json: bool) -> None:
    """Remove all backups but the latest N, and the files that none of these needs."""

    async def work(current: Settings, url: str) -> object:
        return await pruning.prune(url, _open_destination(current), keep)

    show(_run(work), as_json)


@click.command()
@click.argument("id", required=False)
@click.option("--overwrite", is_flag=True, help="Replace a database that has tenants.")
@click.option("--paused", is_flag=True, help="Deactivate webhooks and give up waiting e-mails, for a copy.")
@as_json
def restore(id: str | None, overwrite: bool, paused: bool, as_json: bool) -> None:
    """Restore a backup of TRILHA_BACKUP_URL into this installation. Without ID, the latest one."""

    async def work(current: Settings) -> object:
        destination = _open_destination(current)
        manifest = await destination.read_manifest(await destination.find_id(id))
        _prepare_master_key(current, manifest)
        with owner_url(current, makes_folder=True) as url:
            result = await restoring.restore(
                *(url, current.open_files(), destination, manifest, _report),
                overwrite=overwrite,
                paused=paused,
            )
            await bring_up_to_date(current, url)
            return result

    show(_run_without_database(work), as_json)


def _prepare_master_key(current: Settings, manifest: Manifest) -> None:
    """Writes the backup's master key if this installation has none. Raises BackupError."""
    path = data_folder(current, makes_folder=True) / "master.key"
    if manifest.master_key and not current.master_key and not path.exists():
        with open(path, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(manifest.master_key)
    if not restoring.opens_with(keyring(current), manifest):
        raise BackupError(
            "The master key does not open this backup: put the keys of the backed-up installation into "
            "master.key in the data folder, or set TRILHA_MASTER_KEY."
        )


def build_content_check(keys: Keyring) -> restoring.CheckContent:
    """Checks what only the features know about a restored database."""

    async def check(url: str, files: set[str]) -> tuple[int, list[str]]:
        await migrate(url, keys)
        database = Database(serving_urls(url, keys), system_clock, keys, size=2)
        await database.open()
        try:
            async with operator(url, system_clock) as each:
                tenants = [tenant.id for tenant in await each.list()]
            count, problems = 0, []
            for tenant_id in tenants:
                logs, found = await _check_evidence(database, tenant_id)
                count += logs
                problems += found + await _check_files(database, tenant_id, files)
            return count, problems
        finally:
            await database.close()

    return check


async def _check_evidence(database: Database, tenant_id: UUID) -> tuple[int, list[str]]:
    async with database.transaction(tenant_id) as tx:
        logs = [each async for each in verification.verify_all(tx)]
    return len(logs), [
        f"The log of enrollment {each.enrollment_id} was changed at entry {each.broken_at} ({each.problem})."
        for each in logs
        if each.problem
    ]


async def _check_files(database: Database, tenant_id: UUID, files: set[str]) -> list[str]:
    """Compares the rows that name an encrypted file with the files of the backup."""
    problems = []
    kinds = [kind for feature in FEATURES for kind in feature.sealed_files if not kind.may_be_missing]
    for kind in kinds:
        after = UUID(int=0)
        while True:
            async with database.transaction(tenant_id) as tx:
                rows = await tx.rows(kind.select, after=after, limit=_PAGE)
            keys = [kind.key(tenant_id, row) for row in rows]
            problems += [f"{key} is missing in the backup ({kind.name})." for key in keys if key not in files]
            if len(rows) < _PAGE:
                break
            after = rows[-1]["id"]
    return problems


def _summarize(manifest: Manifest) -> BackupSummary:
    return BackupSummary(
        manifest.id,
        manifest.finished_at,
        manifest.version,
        len(manifest.tables),
        sum(table.rows for table in manifest.tables),
        manifest.files,
        manifest.database_bytes,
        manifest.file_bytes,
        manifest.master_key is not None,
    )


def _open_destination(current: Settings) -> Destination:
    """Raises SettingError."""
    if current.backup_url is None or current.backup_key is None:
        raise SettingError("Backups need a place and a key: set TRILHA_BACKUP_URL and TRILHA_BACKUP_KEY.")
    return Destination(
        open_file_store(current.backup_url, current.data_dir), parse_keyring(current.backup_key)
    )


def _run(work: Callable[[Settings, str], Awaitable[T]]) -> T:
    try:
        return run(work)
    except BackupError as error:
        raise CommandError(str(error)) from None


def _run_without_database(work: Callable[[Settings], Awaitable[T]]) -> T:
    async def start() -> T:
        return await work(settings.load())

    try:
        return asyncio.run(start())
    except (*EXPECTED_ERRORS, BackupError) as error:
        raise CommandError(explain(error)) from None
