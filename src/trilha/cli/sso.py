"""trilha sso …"""

import sys
from typing import Any, get_args
from urllib.parse import urlsplit
from uuid import UUID

import click

from trilha.access.sso import actions, queries
from trilha.access.sso.oidc import actions as oidc_actions
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.oidc.schema import AuthMethod, NewOidcConnection
from trilha.access.sso.oidc.signing_in import CALLBACK
from trilha.access.sso.saml import actions as saml_actions
from trilha.access.sso.saml.actions import MetadataReader
from trilha.access.sso.saml.schema import NewSamlConnection
from trilha.cli.output import as_json, in_tenant, in_transaction, local_operator, show
from trilha.cli.sso_domains import domain
from trilha.cli.sso_work import check_provider, connection_to_dict, read_file, split_names, with_database
from trilha.core.clock import civil_date
from trilha.core.database import Database
from trilha.core.outbound.fetching import Fetcher
from trilha.core.web.parsing import convert
from trilha.settings import Settings

METHODS: tuple[str, ...] = get_args(AuthMethod)
connection_id = click.option("--id", "id", type=click.UUID, required=True, help="The connection's id.")
domains_option = click.option(
    "--domains", default="", metavar="DOMAINS", help="What it vouches for: a.example,b.example"
)
name_option = click.option("--name", help="What people see on the button; else the provider's host.")
jit_option = click.option(
    "--jit/--no-jit", default=True, show_default=True, help="Create an account for a person who has none yet."
)


@click.group("sso")
def sso() -> None:
    """Sign-in with a company's own identity provider."""


sso.add_command(domain)


@sso.group()
def oidc() -> None:
    """OpenID Connect providers."""


@sso.group()
def saml() -> None:
    """SAML 2.0 providers."""


@oidc.command("create")
@in_tenant
@click.option("--issuer", required=True, metavar="URL", help="Exactly as the provider writes it.")
@click.option("--client-id", required=True, help="What the provider calls this server.")
@click.option("--client-secret-stdin", is_flag=True, help="Read the client's secret from standard input.")
@click.option(
    "--auth-method",
    type=click.Choice(METHODS),
    default="client_secret_basic",
    show_default=True,
    help="Client authentication. With `private_key_jwt`, no secret is read.",
)
@domains_option
@name_option
@jit_option
@as_json
def create_oidc(
    tenant: str,
    issuer: str,
    client_id: str,
    client_secret_stdin: bool,
    auth_method: AuthMethod,
    domains: str,
    name: str | None,
    jit: bool,
    as_json: bool,
) -> None:
    """Add a provider after reading its discovery document. It is not enabled yet."""
    secret = sys.stdin.readline().strip() if client_secret_stdin else ""
    raw = {
        "name": name or urlsplit(issuer).hostname or "OpenID Connect",
        "issuer": issuer,
        "client_id": client_id,
        "client_secret": secret or None,
        "auth_method": auth_method,
        "domains": split_names(domains),
        "jit": jit,
    }

    async def work(settings: Settings, database: Database, tenant_id: UUID) -> dict[str, Any]:
        new = convert(NewOidcConnection, raw, civil_date(database.clock()))
        discovery = Discovery(Fetcher(settings.guard), settings.guard)
        provider = await oidc_actions.look_up(discovery, tenant_id, new.issuer)
        async with database.transaction(tenant_id, actor=local_operator()) as tx:
            created = await oidc_actions.create(tx, new, provider)
        return connection_to_dict(created.connection) | {
            "issuer": created.detail.issuer,
            "client_id": created.detail.client_id,
            "redirect_uri": f"{settings.address}{CALLBACK}",
        }

    show(with_database(tenant, work), as_json)


@saml.command("create")
@in_tenant
@click.option(
    "--metadata", "source", required=True, metavar="FILE|URL", help="The provider's; of a URL read each day."
)
@domains_option
@name_option
@jit_option
@click.option("--sign-requests/--no-sign-requests", default=True, show_default=True)
@click.option("--wants-encrypted", is_flag=True, help="Refuse assertions that are not encrypted.")
@click.option("--idp-initiated", is_flag=True, help="Accept sign-ins that the provider initiates.")
@as_json
def create_saml(
    tenant: str,
    source: str,
    domains: str,
    name: str | None,
    jit: bool,
    sign_requests: bool,
    wants_encrypted: bool,
    idp_initiated: bool,
    as_json: bool,
) -> None:
    """Add a provider from its metadata. It is not enabled yet."""
    by_url = source.lower().startswith(("https://", "http://"))
    raw = {
        "metadata_url": source if by_url else None,
        "domains": split_names(domains),
        "jit": jit,
        "sign_requests": sign_requests,
        "wants_encrypted": wants_encrypted,
        "idp_initiated": idp_initiated,
    }

    async def work(settings: Settings, database: Database, tenant_id: UUID) -> dict[str, Any]:
        reader = MetadataReader(Fetcher(settings.guard), settings.guard)
        document = None if by_url else read_file(source)
        provider = await reader.look_up(tenant_id, document, source if by_url else None)
        shown_name = name or urlsplit(provider.entity_id).hostname or "SAML"
        new = convert(NewSamlConnection, raw | {"name": shown_name}, civil_date(database.clock()))
        async with database.transaction(tenant_id, actor=local_operator()) as tx:
            return (await saml_actions.create(tx, new, provider)).to_dict(settings.address)

    show(with_database(tenant, work), as_json)


@sso.command("list")
@in_tenant
@as_json
def list_connections(tenant: str, as_json: bool) -> None:
    """List a company's connections."""
    found = in_transaction(tenant, lambda _, tx: queries.list_all(tx))
    show([connection_to_dict(each) for each in found], as_json)


@sso.command()
@in_tenant
@connection_id
@as_json
def enable(tenant: str, id: UUID, as_json: bool) -> None:
    """Let people sign in with a connection."""
    show(connection_to_dict(in_transaction(tenant, lambda _, tx: actions.enable(tx, id))), as_json)


@sso.command()
@in_tenant
@connection_id
@as_json
def disable(tenant: str, id: UUID, as_json: bool) -> None:
    """Disable a connection and end the sessions that began with it."""
    show(connection_to_dict(in_transaction(tenant, lambda _, tx: actions.disable(tx, id))), as_json)


@sso.command()
@in_tenant
@connection_id
@as_json
def test(tenant: str, id: UUID, as_json: bool) -> None:
    """Check whether the provider can be used for sign-in. The exit code is 1 if it cannot.

    To test a whole sign-in, use the panel in a browser.
    """

    async def work(settings: Settings, database: Database, tenant_id: UUID) -> dict[str, Any]:
        return await check_provider(settings, database, tenant_id, id)

    checked = with_database(tenant, work)
    show(checked, as_json)
    if not checked["passed"]:
        raise click.exceptions.Exit(1)
