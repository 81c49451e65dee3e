"""trilha webhooks list, deliveries, retry, replay: the operator's form of the API."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import click
from msgspec import structs

from trilha.cli.output import as_json, in_tenant, in_transaction, show
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.types import Timestamp
from trilha.platform.events.schema import Subscription
from trilha.platform.webhooks import actions, history, queries
from trilha.platform.webhooks.lists import ENDPOINTS
from trilha.platform.webhooks.schema import (
    Delivery,
    DeliveryQuery,
    DeliveryStatusFilter,
    EndpointQuery,
    NewReplay,
)

webhook_id = click.option("--id", "webhook_id", type=click.UUID, required=True, help="The endpoint's id.")
_STATUSES = click.Choice(DeliveryStatusFilter.list_values(), case_sensitive=False)
# Too long for a table.
_LONG = ("attempt_log", "response_body")


@click.command("list")
@in_tenant
@as_json
def list_webhooks(tenant: str, as_json: bool) -> None:
    """List a tenant's endpoints, newest first; a hundred at most."""
    page = in_transaction(tenant, lambda _, tx: fetch_page(tx, ENDPOINTS, EndpointQuery(limit=100)))
    show(page.data, as_json)


@click.command()
@in_tenant
@webhook_id
@click.option("--status", type=_STATUSES, help="Only those in this state.")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="How many.")
@as_json
def deliveries(tenant: str, webhook_id: UUID, status: str | None, limit: int, as_json: bool) -> None:
    """List an endpoint's deliveries, newest first. --json includes their attempts."""
    asked = DeliveryQuery(limit=limit, status=DeliveryStatusFilter.parse(status) if status else None)

    async def work(_: Any, tx: Tx) -> list[Delivery]:
        await queries.get(tx, webhook_id)
        return list((await history.list_deliveries(tx, webhook_id, asked)).data)

    found = in_transaction(tenant, work)
    show(found if as_json else [_short(each) for each in found], as_json)


@click.command()
@in_tenant
@webhook_id
@click.option("--delivery", "delivery_id", type=click.UUID, required=True, help="The delivery's id.")
@as_json
def retry(tenant: str, webhook_id: UUID, delivery_id: UUID, as_json: bool) -> None:
    """Send one delivery again, whatever its result was."""
    delivery = in_transaction(tenant, lambda _, tx: actions.retry(tx, webhook_id, delivery_id))
    show(delivery if as_json else _short(delivery), as_json)


@click.command()
@in_tenant
@webhook_id
@click.option("--since", type=click.DateTime(), required=True, help="From this moment on, in UTC.")
@click.option("--until", type=click.DateTime(), required=True, help="Before this moment, in UTC.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only these, or groups: user.*")
@as_json
def replay(
    tenant: str, webhook_id: UUID, since: datetime, until: datetime, types: tuple[str, ...], as_json: bool
) -> None:
    """Send past events again, from a period within the last 30 days."""
    given = click.Choice(Subscription.list_values())
    for each in types:
        given.convert(each, None, None)
    new = NewReplay(
        since=_utc(since), until=_utc(until), event_types=[Subscription.parse(each) for each in types] or None
    )
    show(in_transaction(tenant, lambda _, tx: actions.replay(tx, webhook_id, new)), as_json)


def _utc(moment: datetime) -> Timestamp:
    return Timestamp.parse(moment.isoformat() + "Z")


def _short(delivery: Delivery) -> Mapping[str, Any]:
    return {name: value for name, value in structs.asdict(delivery).items() if name not in _LONG}


COMMANDS = (list_webhooks, deliveries, retry, replay)
