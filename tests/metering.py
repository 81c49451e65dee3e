"""What tests of usage and quotas share."""

from typing import Any

from conftest import World
from mail_receiver import dispatcher_of, receiving_mail, transport_to
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import TestMessage
from trilha.platform.mail.schema import Recipient
from trilha.platform.tenants.quotas import actions
from trilha.platform.tenants.quotas.schema import Quotas
from trilha.platform.tenants.usage.api_calls import ApiCalls
from trilha.platform.tenants.usage.rules import find_month
from trilha.training.reports.tenant_usage import TenantUsage, load_usage


def calls_of(app: Any) -> ApiCalls:
    """Returns the counter of API calls of an application."""
    (v1,) = [surface for surface in app.surfaces if surface.name == "v1"]
    calls: ApiCalls = v1.meter.__self__
    return calls


async def limit(world: World, **quotas: int | None) -> None:
    async with world.tx() as tx:
        await actions.set_quotas(tx, Quotas(**quotas))


async def usage_of(world: World) -> TenantUsage:
    async with world.tx() as tx:
        return await load_usage(tx, world.tenant.slug, find_month(tx.now))


async def write_mail(world: World) -> None:
    async with world.tx() as tx:
        await outbox.send(tx, to=Recipient("ana@example.com", "Ana", "en"), message=TestMessage())


async def send_mails(world: World) -> int:
    """Sends what is due, and returns how many e-mails arrived."""
    async with receiving_mail() as receiver:
        transport = transport_to(receiver, seconds=5)
        try:
            await dispatcher_of(world, transport=transport, seconds=5).drain()
        finally:
            await transport.close()
        return len(receiver.mails)
