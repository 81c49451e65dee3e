"""trilha sso domain …"""

import click

from trilha.access.sso.domains import actions as domains
from trilha.access.sso.domains import queries as domain_queries
from trilha.access.sso.domains import rules
from trilha.access.sso.domains.actions import Verification
from trilha.access.sso.domains.schema import EmailDomain
from trilha.cli.output import as_json, in_tenant, in_transaction, local_operator, run, show, tenant_id
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings

domain_option = click.option("--domain", "name", required=True, metavar="DOMAIN", help="Such as example.com.")


@click.group()
def domain() -> None:
    """E-mail domains of a company."""


@domain.command()
@in_tenant
@domain_option
@as_json
def claim(tenant: str, name: str, as_json: bool) -> None:
    """Claim a domain for the company, and print the TXT record that proves it."""
    show(in_transaction(tenant, lambda _, tx: domains.claim(tx, name)).to_dict(), as_json)


@domain.command()
@in_tenant
@domain_option
@click.option(
    "--assume-verified", is_flag=True, help="Take it on your word as the operator; no record is looked for."
)
@as_json
def verify(tenant: str, name: str, assume_verified: bool, as_json: bool) -> None:
    """Look up a domain's record. The exit code is 1 if the domain is not verified."""
    if assume_verified:
        verified = in_transaction(tenant, lambda _, tx: _assume(tx, name))
    else:
        verified = run(lambda settings, url: _look_up(settings, url, tenant, name))
    show(verified.to_dict(), as_json)
    if verified.verified_at is None:
        raise click.exceptions.Exit(1)


@domain.command("list")
@in_tenant
@as_json
def list_domains(tenant: str, as_json: bool) -> None:
    """List a company's domains."""
    found = in_transaction(tenant, lambda _, tx: domain_queries.list_all(tx))
    show([each.to_dict() for each in found], as_json)


@domain.command()
@in_tenant
@domain_option
@as_json
def remove(tenant: str, name: str, as_json: bool) -> None:
    """Release a domain; nobody can sign in with its addresses any more."""

    async def work(_: Settings, tx: Tx) -> EmailDomain:
        found = await _get(tx, name)
        await domains.remove(tx, found.id)
        return found

    show({"domain": in_transaction(tenant, work).domain, "removed": True}, as_json)


async def _get(tx: Tx, name: str) -> EmailDomain:
    try:
        found = await domain_queries.find(tx, rules.normalise(name))
    except ValueError:
        found = None
    if found is None:
        raise NotFound("domain_not_found")
    return found


async def _assume(tx: Tx, name: str) -> EmailDomain:
    return await domains.assume_verified(tx, (await _get(tx, name)).id)


async def _look_up(settings: Settings, url: str, tenant: str, name: str) -> EmailDomain:
    async with open_database(settings, logins_of(settings, url)) as database:
        whose = await tenant_id(database, tenant)
        async with database.transaction(whose) as tx:
            found = await _get(tx, name)
        verification = Verification.by(settings.dns_servers, settings.address)
        return await verification.verify(database, whose, local_operator(), found.id)
