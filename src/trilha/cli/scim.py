"""trilha scim …"""

from datetime import timedelta
from typing import Any
from uuid import UUID

import click

from trilha.access.scim.tokens import actions, queries
from trilha.cli.output import Duration, as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.settings import Settings

token_id = click.option("--id", "token_id", type=click.UUID, required=True, help="The token's id.")


@click.group("scim")
def scim() -> None:
    """Provisioning by an identity provider."""


@scim.group()
def token() -> None:
    """The tokens with which a provider calls."""


@token.command()
@in_tenant
@click.option("--name", default="SCIM", show_default=True, help="Which provider it is for.")
@click.option("--allow", default="", metavar="CIDRS", help="Only from these networks, separated by commas.")
@click.option("--expires", type=Duration(), help="How long it lives: 365d")
@as_json
def create(tenant: str, name: str, allow: str, expires: timedelta | None, as_json: bool) -> None:
    """Create a token. It is shown in full only once."""
    issued = in_transaction(tenant, lambda _, tx: actions.create(tx, name, networks=allow, lifetime=expires))
    show(issued.to_dict(), as_json)


@token.command("list")
@in_tenant
@as_json
def list_tokens(tenant: str, as_json: bool) -> None:
    """List a tenant's tokens."""
    show(in_transaction(tenant, lambda _, tx: queries.list_all(tx)), as_json)


@token.command()
@in_tenant
@token_id
@click.option(
    "--grace", type=Duration(), default=timedelta(days=1), help="How long the old secret works: 0s to 7d."
)
@as_json
def rotate(tenant: str, token_id: UUID, grace: timedelta, as_json: bool) -> None:
    """Replace a token's secret; the old one works for a grace period."""
    show(in_transaction(tenant, lambda _, tx: actions.rotate(tx, token_id, grace)).to_dict(), as_json)


@token.command()
@in_tenant
@token_id
@as_json
def revoke(tenant: str, token_id: UUID, as_json: bool) -> None:
    """Revoke a token, effective from the next request."""
    show(in_transaction(tenant, lambda _, tx: actions.revoke(tx, token_id)), as_json)


@scim.command()
@in_tenant
@click.option(
    "--requests", type=click.IntRange(0, actions.MAX_REQUESTS), help="0 for as many as of any tenant."
)
@as_json
def limit(tenant: str, requests: int | None, as_json: bool) -> None:
    """Show or set how many requests a window allows, for example for a first synchronization."""

    async def work(settings: Settings, tx: Tx) -> dict[str, Any]:
        if requests is not None:
            await actions.set_limit(tx, requests or None)
        usual = settings.limit_scim
        own = await queries.find_limit(tx)
        return {"requests": own or usual.requests, "seconds": usual.seconds, "own": own is not None}

    show(in_transaction(tenant, work), as_json)
