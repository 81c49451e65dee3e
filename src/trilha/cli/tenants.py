"""trilha tenant …, trilha admin …"""

import asyncio
from uuid import UUID

import click
import msgspec

from trilha.app import list_file_prefixes
from trilha.cli import tenant_deletion, tenant_statements, tenant_usage
from trilha.cli.output import as_json, as_operator, in_tenant, in_transaction, show
from trilha.cli.passwords import password_stdin, read_password
from trilha.cli.retention import retention
from trilha.cli.transfer import commands as transfer
from trilha.core.clock import civil_date, system_clock
from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.core.passwords import hash_password
from trilha.core.web.parsing import convert
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser
from trilha.platform.tenants import actions, queries
from trilha.platform.tenants.schema import NewTenant
from trilha.settings import Settings
from trilha.training.certificates.templates import pictures


@click.group()
def tenant() -> None:
    """Tenants: the separate spaces of customers."""


tenant.add_command(retention)


@tenant.command()
@click.option("--slug", required=True, help="Short name in addresses: lower-case letters, digits, hyphens.")
@click.option("--name", required=True)
@click.option("--environment", type=click.Choice(["production", "homologation"]), default="production")
@click.option("--locale", type=click.Choice(["pt-BR", "en"]), default="pt-BR")
@as_json
def create(slug: str, name: str, environment: str, locale: str, as_json: bool) -> None:
    """Create a tenant."""
    raw = {"slug": slug, "name": name, "environment": environment, "locale": locale}
    show(
        as_operator(
            lambda operator: operator.create(convert(NewTenant, raw, civil_date(system_clock()))),
            makes_folder=True,
        ),
        as_json,
    )


@tenant.command("list")
@as_json
def list_tenants(as_json: bool) -> None:
    """List the tenants."""
    show(as_operator(lambda operator: operator.list()), as_json)


@tenant.command()
@click.argument("slug")
@as_json
def suspend(slug: str, as_json: bool) -> None:
    """Reject every credential of a tenant, effective from the next request."""
    show(as_operator(lambda operator: operator.set_status(slug, "SUSPENDED")), as_json)


@tenant.command()
@click.argument("slug")
@as_json
def activate(slug: str, as_json: bool) -> None:
    """End a tenant's suspension."""
    show(as_operator(lambda operator: operator.set_status(slug, "ACTIVE")), as_json)


@tenant.command()
@click.argument("slug")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
def wipe(slug: str, yes: bool, as_json: bool) -> None:
    """Delete the data of a homologation tenant; its credentials and its audit log remain.

    Deleted: users with their units, groups and imports, packages with their files, courses, enrollments,
    events, webhook endpoints with their deliveries, archived logs, and stored idempotent answers. Kept: API
    keys, OAuth clients and their tokens, and the audit log.
    """
    as_operator(lambda operator: operator.find_disposable(slug))
    if not yes:
        click.confirm(
            f"Delete all users, courses, enrollments, events and webhook endpoints of {slug}?",
            abort=True,
            err=True,
        )
    deleted, settings, tenant_id = in_transaction(slug, _wipe)
    # After the commit: a leftover file only takes space, but a row without its file would be broken.
    asyncio.run(_remove_files(settings.open_files(), tenant_id))
    show(deleted, as_json)


async def _remove_files(files: FileStore, tenant_id: UUID) -> None:
    for prefix in list_file_prefixes(tenant_id):
        # The tenant keeps its certificate templates, with their pictures.
        if not prefix.startswith(pictures.PREFIX):
            await files.delete_below(prefix)


async def _wipe(settings: Settings, tx: Tx) -> tuple[dict[str, int], Settings, UUID]:
    return await actions.wipe(tx), settings, tx.tenant_id


tenant.add_command(tenant_deletion.delete)
tenant.add_command(tenant_deletion.deletion)
tenant.add_command(tenant_statements.statements)
tenant.add_command(tenant_usage.usage)
tenant.add_command(transfer.export_command)
tenant.add_command(transfer.import_command)
tenant.add_command(tenant_usage.quota)


@click.group()
def admin() -> None:
    """Administrators of a tenant."""


@admin.command("create")
@in_tenant
@click.option("--email", required=True)
@click.option("--name", required=True)
@password_stdin
@as_json
def create_admin(tenant: str, email: str, name: str, password_stdin: bool, as_json: bool) -> None:
    """Create an administrator, with the given password or with a temporary one that is shown only once."""

    async def work(settings: Settings, tx: Tx) -> tuple[dict[str, object], str]:
        new = convert(NewUser, {"email": email, "name": name}, tx.today)
        password = await hash_password(
            read_password(password_stdin, new.name, new.email, *await queries.list_names(tx))
        )
        user = await users.create(tx, new, password, role="admin")
        members = {name: msgspec.to_builtins(getattr(user, name)) for name in ("id", "email", "name", "role")}
        secret = {"temporary_password": password.temporary} if password.temporary else {}
        return {**members, **secret}, f"{settings.address}/login?tenant={tenant}"

    made, address = in_transaction(tenant, work)
    show(made, as_json)
    if not as_json:
        click.echo(f"\nSign in at {address}")
