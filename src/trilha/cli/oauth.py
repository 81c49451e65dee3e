"""trilha oauth-client …, trilha signing-key …"""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from trilha.access.oauth import actions, queries
from trilha.access.oauth.signing_keys import PUBLISHED_FOR, SigningKey, SigningKeys
from trilha.cli.input import read_json
from trilha.cli.output import Duration, as_json, in_tenant, in_transaction, local_operator, run, show
from trilha.core.types import Timestamp
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings

client_id = click.option("--id", "client_id", type=click.UUID, required=True, help="The client's id.")


@click.group("oauth-client")
def oauth_client() -> None:
    """Applications that get access tokens of their own."""


@oauth_client.command()
@in_tenant
@click.option("--name", required=True, help="What the client is for.")
@click.option("--scopes", required=True, help="Separated by commas: users:read,users:write")
@click.option("--allow", default="", metavar="CIDRS", help="Only from these networks, separated by commas.")
@click.option(
    "--keys",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A JWK set of public keys: the client signs (private_key_jwt) and has no secret.",
)
@as_json
def create(tenant: str, name: str, scopes: str, allow: str, keys: Path | None, as_json: bool) -> None:
    """Create a client. Its secret is shown only once."""
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    public = read_json(keys) if keys else None
    issued = in_transaction(
        tenant, lambda _, tx: actions.create(tx, name, wanted, networks=allow, public_keys=public)
    )
    show(issued.to_dict(), as_json)


@oauth_client.command("list")
@in_tenant
@as_json
def list_clients(tenant: str, as_json: bool) -> None:
    """List a tenant's clients."""
    show([each.to_dict() for each in in_transaction(tenant, lambda _, tx: queries.list_clients(tx))], as_json)


@oauth_client.command()
@in_tenant
@client_id
@click.option(
    "--grace", type=Duration(), default=timedelta(days=1), help="How long the old secret works: 0s to 7d."
)
@as_json
def rotate(tenant: str, client_id: UUID, grace: timedelta, as_json: bool) -> None:
    """Replace a client's secret; the old one works for a grace period."""
    show(in_transaction(tenant, lambda _, tx: actions.rotate(tx, client_id, grace)).to_dict(), as_json)


@oauth_client.command()
@in_tenant
@client_id
@as_json
def disable(tenant: str, client_id: UUID, as_json: bool) -> None:
    """Disable a client and all its tokens, effective from the next request."""
    show(in_transaction(tenant, lambda _, tx: actions.disable(tx, client_id)).to_dict(), as_json)


@oauth_client.command()
@in_tenant
@client_id
@as_json
def enable(tenant: str, client_id: UUID, as_json: bool) -> None:
    """Enable a disabled client again; its old tokens stay invalid."""
    show(in_transaction(tenant, lambda _, tx: actions.enable(tx, client_id)).to_dict(), as_json)


@oauth_client.command()
@in_tenant
@client_id
@as_json
def delete(tenant: str, client_id: UUID, as_json: bool) -> None:
    """Delete a client; its tokens are invalid from the next request."""
    show(in_transaction(tenant, lambda _, tx: actions.delete(tx, client_id)).to_dict(), as_json)


@click.group("signing-key")
def signing_key() -> None:
    """The keys that sign access tokens."""


def _with_keys(work: Any) -> Any:
    async def with_database(current: Settings, url: str) -> Any:
        async with open_database(current, logins_of(current, url)) as database:
            return await work(SigningKeys(database, local_operator()))

    return run(with_database)


def _key_to_dict(key: SigningKey) -> dict[str, Any]:
    return {"kid": key.kid, "number": key.number, "signs_from": Timestamp.of(key.signs_from)}


@signing_key.command("list")
@as_json
def list_keys(as_json: bool) -> None:
    """List the published keys."""

    async def work(keys: SigningKeys) -> list[SigningKey]:
        return await keys.list()

    show([_key_to_dict(each) for each in _with_keys(work)], as_json)


@signing_key.command("rotate")
@click.option(
    "--now", is_flag=True, help="Sign with it at once, not when verifiers have had time to read it."
)
@as_json
def rotate_key(now: bool, as_json: bool) -> None:
    """Create a new signing key. Tokens signed with the old key stay valid until they expire."""

    async def work(keys: SigningKeys) -> list[SigningKey]:
        await keys.add(after=timedelta() if now else PUBLISHED_FOR)
        return await keys.list()

    show(_key_to_dict(_with_keys(work)[-1]), as_json)


@signing_key.command("revoke")
@click.option("--kid", required=True, help="The key's id.")
@as_json
def revoke_key(kid: str, as_json: bool) -> None:
    """Remove a compromised key; every token that it signed becomes invalid."""

    async def work(keys: SigningKeys) -> SigningKey:
        return await keys.revoke(kid)

    show(_key_to_dict(_with_keys(work)), as_json)
