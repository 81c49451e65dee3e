"""trilha xapi-key …"""

from uuid import UUID

import click

from trilha.access.xapi_keys import actions, queries
from trilha.cli.output import as_json, in_tenant, in_transaction, show


@click.group("xapi-key")
def xapi_key() -> None:
    """Keys of the Experience API, for content and other programs that send statements."""


@xapi_key.command()
@in_tenant
@click.option("--name", required=True, help="What the key is for.")
@click.option("--scopes", required=True, help="xapi:read, xapi:write, or both separated by a comma.")
@as_json
def create(tenant: str, name: str, scopes: str, as_json: bool) -> None:
    """Create a key. Its secret is shown only once."""
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    issued = in_transaction(tenant, lambda _, tx: actions.create(tx, name, wanted))
    show(issued.to_dict(), as_json)


@xapi_key.command("list")
@in_tenant
@as_json
def list_keys(tenant: str, as_json: bool) -> None:
    """List a tenant's keys."""
    show(in_transaction(tenant, lambda _, tx: queries.list_all(tx)), as_json)


@xapi_key.command()
@in_tenant
@click.option("--id", "key_id", type=click.UUID, required=True, help="The key's id.")
@as_json
def revoke(tenant: str, key_id: UUID, as_json: bool) -> None:
    """Revoke a key, effective from the next request."""
    show(in_transaction(tenant, lambda _, tx: actions.revoke(tx, key_id)), as_json)
