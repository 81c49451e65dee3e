"""trilha api-key …"""

from datetime import timedelta
from uuid import UUID

import click

from trilha.access.api_keys import actions, queries
from trilha.cli.output import Duration, as_json, in_tenant, in_transaction, show

key_id = click.option("--id", "key_id", type=click.UUID, required=True, help="The key's id.")


@click.group("api-key")
def api_key() -> None:
    """Credentials of integrations."""


@api_key.command()
@in_tenant
@click.option("--name", required=True, help="What the key is for.")
@click.option("--scopes", required=True, help="Separated by commas: users:read,users:write")
@click.option("--allow", default="", metavar="CIDRS", help="Only from these networks, separated by commas.")
@click.option("--expires", type=Duration(), help="How long it lives: 90d")
@as_json
def create(tenant: str, name: str, scopes: str, allow: str, expires: timedelta | None, as_json: bool) -> None:
    """Create a key. It is shown in full only once."""
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    issued = in_transaction(
        tenant,
        lambda settings, tx: actions.create(
            tx, name, wanted, prefix=settings.api_key_prefix, networks=allow, lifetime=expires
        ),
    )
    show(issued.to_dict(), as_json)


@api_key.command("list")
@in_tenant
@as_json
def list_keys(tenant: str, as_json: bool) -> None:
    """List a tenant's keys."""
    show(in_transaction(tenant, lambda _, tx: queries.list_all(tx)), as_json)


@api_key.command()
@in_tenant
@key_id
@click.option(
    "--grace", type=Duration(), default=timedelta(days=1), help="How long the old key works: 0s to 7d."
)
@as_json
def rotate(tenant: str, key_id: UUID, grace: timedelta, as_json: bool) -> None:
    """Replace a key's secret; the old one works for a grace period."""
    issued = in_transaction(
        tenant,
        lambda settings, tx: actions.rotate(tx, key_id, prefix=settings.api_key_prefix, grace=grace),
    )
    show(issued.to_dict(), as_json)


@api_key.command()
@in_tenant
@key_id
@as_json
def revoke(tenant: str, key_id: UUID, as_json: bool) -> None:
    """Revoke a key, effective from the next request."""
    show(in_transaction(tenant, lambda _, tx: actions.revoke(tx, key_id)), as_json)
