"""trilha mail …"""

from typing import Any
from uuid import uuid4

import click
from msgspec import Struct

from trilha.cli.output import CommandError, as_json, in_tenant, in_transaction, run, show
from trilha.core.clock import system_clock
from trilha.core.database import Tx
from trilha.core.types import Email, InvalidValue
from trilha.platform.mail import daily_limits, rules
from trilha.platform.mail.catalogue import TestMessage
from trilha.platform.mail.delivery.composing import compose, message_id
from trilha.platform.mail.delivery.smtp import Transport
from trilha.platform.mail.delivery.transports import transport_of
from trilha.platform.mail.schema import Brand, Content, Mail, SendResult
from trilha.platform.tenants import unscoped as tenants
from trilha.platform.tenants.operator import TenantError
from trilha.platform.tenants.schema import Tenant
from trilha.runtime import logins_of, open_database
from trilha.settings import Settings


class SentMail(Struct, frozen=True):
    """`by` is the mail server or the folder."""

    to: str
    by: str
    message_id: str


class _EmailParameter(click.ParamType[str]):
    name = "e-mail"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return Email.parse(value)
        except InvalidValue:
            self.fail(f"{value!r} is not an e-mail address.", param, ctx)


@click.group()
def mail() -> None:
    """E-mail that Trilha sends."""


@mail.command()
@in_tenant
@click.option("--to", required=True, type=_EmailParameter(), metavar="EMAIL", help="Whom to send it to.")
@as_json
def test(tenant: str, to: str, as_json: bool) -> None:
    """Send one message as the worker would, and print the result."""

    async def work(current: Settings, url: str) -> SentMail:
        async with (
            open_database(current, logins_of(current, url)) as database,
            database.unscoped() as unscoped,
        ):
            found = await tenants.find_by_slug(unscoped, tenant)
        if found is None:
            raise TenantError(f"There is no tenant with the slug {tenant}.")
        return await _send(current, transport_of(current, database.keyring), found, to)

    sent = run(work)
    if as_json:
        show(sent, True)
    else:
        click.echo(f"The message to {sent.to} was given to {sent.by}.")


async def _send(current: Settings, transport: Transport, tenant: Tenant, to: str) -> SentMail:
    message = _message(current, tenant, to)
    try:
        result = await transport.send(message)
    finally:
        await transport.close()
    if result.error:
        raise CommandError(_failure(transport, result))
    by = transport.place if current.smtp_url else f"{transport.place}, as TRILHA_SMTP_URL is not set"
    return SentMail(to, by, message_id(message.id, message.sender))


def _message(current: Settings, tenant: Tenant, to: str) -> Mail:
    return compose(
        uuid4(),
        Content(to, "UTC", TestMessage()),
        to_email=to,
        locale="en" if tenant.locale == "en" else "pt-BR",
        sender=current.sender,
        brand=Brand(tenant.name),
        created_at=system_clock(),
    )


def _failure(transport: Transport, result: SendResult) -> str:
    """Describes the failure in one sentence."""
    said = f": {result.reply}" if result.reply else ""
    return f"{transport.place} {rules.ERRORS[result.error or 'failed']}{said}".rstrip(".") + "."


@mail.command()
@in_tenant
@click.option(
    "--limit",
    type=click.IntRange(0, daily_limits.MAX_INVITATIONS),
    help="0 for as many as of any tenant.",
)
@as_json
def invitations(tenant: str, limit: int | None, as_json: bool) -> None:
    """Show or set how many invitations integrations may send per day."""

    async def work(settings: Settings, tx: Tx) -> dict[str, Any]:
        if limit is not None:
            await daily_limits.set_limit(tx, limit or None)
        usage = await daily_limits.get_usage(
            tx, daily_limits.ServerLimit(settings.invitations_per_day), limit=daily_limits.MAX_INVITATIONS
        )
        return {"limit": usage.limit, "own": usage.own, "sent_today": usage.sent, "waiting": usage.waiting}

    show(in_transaction(tenant, work), as_json)
