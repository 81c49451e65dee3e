"""trilha tenant export, trilha tenant import"""

from pathlib import Path
from uuid import UUID

import click

from trilha import __version__
from trilha.app import FEATURES, list_file_prefixes
from trilha.cli.output import as_json, in_tenant, local_operator, run, show
from trilha.cli.transfer.exporting import ExportResult, TenantExport
from trilha.cli.transfer.importing import ImportResult, TenantImport
from trilha.core.clock import civil_date, system_clock
from trilha.core.database import Database
from trilha.core.secrets import Keyring, parse_keyring
from trilha.core.variables import SettingError
from trilha.core.web.parsing import convert
from trilha.people.people_import import files as import_files
from trilha.platform.tenants import unscoped
from trilha.platform.tenants.operator import TenantError
from trilha.platform.tenants.schema import NewTenant, Tenant
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings
from trilha.training.learning.evidence import verification

_COLUMNS = [column for feature in FEATURES for column in feature.sealed_columns]


@click.command("export")
@in_tenant
@click.option("--output", type=click.Path(path_type=Path), required=True, help="The file to write.")
@as_json
def export_command(tenant: str, output: Path, as_json: bool) -> None:
    """Write a tenant into one file, encrypted with TRILHA_TRANSFER_KEY, for another installation.

    Suspend the tenant first, so that nothing is missing. Sign-ins and pending deliveries are left out.
    """

    async def work(current: Settings, url: str) -> ExportResult:
        keyring = _load_keyring(current)
        async with open_database(current, logins_of(current, url)) as database:
            found = await _check_tenant(database, tenant)
            export = TenantExport(
                url,
                database,
                current.open_files(),
                keyring,
                _COLUMNS,
                _list_prefixes,
                system_clock,
                __version__,
            )
            return await export.run(found, output)

    show(run(work), as_json)


@click.command("import")
@click.option("--input", "source", type=click.Path(path_type=Path), required=True, help="The exported file.")
@click.option("--slug", help="Another slug than the tenant had.")
@as_json
def import_command(source: Path, slug: str | None, as_json: bool) -> None:
    """Load a tenant that `trilha tenant export` wrote. Its id stays, and its webhooks are inactive."""

    async def work(current: Settings, url: str) -> ImportResult:
        keyring = _load_keyring(current)
        if slug is not None:  # refuses a slug of another form
            convert(NewTenant, {"slug": slug, "name": slug}, civil_date(system_clock()))
        async with open_database(current, logins_of(current, url)) as database:
            importing = TenantImport(
                url,
                database,
                current.open_files(),
                keyring,
                _COLUMNS,
                _list_prefixes,
                system_clock,
                local_operator(),
            )
            return await importing.run(source, slug)

    show(run(work), as_json)


async def _check_tenant(database: Database, slug: str) -> Tenant:
    """Raises TenantError if the tenant is not there, is being deleted, or its evidence does not hold."""
    async with database.unscoped() as connection:
        tenant = await unscoped.find_by_slug(connection, slug)
    if tenant is None or tenant.status == "DELETING":
        raise TenantError(f"There is no tenant with the slug {slug}.")
    async with database.transaction(tenant.id, read_only=True) as tx:
        async for log in verification.verify_all(tx):
            if log.problem not in ("", "retired"):
                raise TenantError(
                    f"The log of enrollment {log.enrollment_id} was changed: see `trilha evidence verify`."
                )
    return tenant


def _list_prefixes(tenant_id: UUID) -> list[str]:
    """Returns the prefixes of the files that move. Files of imports in progress do not."""
    prefixes = list_file_prefixes(tenant_id)
    return [prefix for prefix in prefixes if prefix != import_files.of_tenant(tenant_id)]


def _load_keyring(current: Settings) -> Keyring:
    """Raises SettingError."""
    if current.transfer_key is None:
        raise SettingError("Set TRILHA_TRANSFER_KEY to the same 64 hexadecimal digits on both sides.")
    return parse_keyring(current.transfer_key)
