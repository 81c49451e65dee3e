"""/v1/webhooks"""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page, get_row
from trilha.core.outbound.guard import Guard
from trilha.core.web.pagination import ItemQuery, ListQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.webhooks import actions, history, queries
from trilha.webhooks.lists import ENDPOINTS, REPLAYS
from trilha.webhooks.schema import (
    Delivery,
    DeliveryQuery,
    Endpoint,
    EndpointPatch,
    IssuedEndpoint,
    NewEndpoint,
    NewReplay,
    Replay,
)

routes = Routes("Webhooks", "Where events are sent, and what came of it.")
_ADDRESS = ["invalid_url", "https_required", "port_not_allowed", "address_not_allowed"]


@routes.get("/webhooks", scope=Scope.WEBHOOKS_READ)
async def list_webhooks(tx: Tx, query: ListQuery) -> Page[Endpoint]:
    """List webhook endpoints, newest first."""
    return await fetch_page(tx, ENDPOINTS, query)


@routes.post("/webhooks", scope=Scope.WEBHOOKS_WRITE, status=201, errors=["too_many_webhooks", *_ADDRESS])
async def create_webhook(
    tx: Tx, data: NewEndpoint, guard: Guard, limit: actions.EndpointLimit
) -> Envelope[IssuedEndpoint]:
    """Create a webhook endpoint. Its signing secret is shown in this answer and never again."""
    return Envelope(await actions.create(tx, data, guard, limit))


@routes.get("/webhooks/{webhook_id}", scope=Scope.WEBHOOKS_READ, errors=["webhook_not_found"])
async def get_webhook(tx: Tx, webhook_id: UUID, query: ItemQuery) -> Envelope[Endpoint]:
    """Read one webhook endpoint."""
    return Envelope(await queries.get(tx, webhook_id))


@routes.patch("/webhooks/{webhook_id}", scope=Scope.WEBHOOKS_WRITE, errors=["webhook_not_found", *_ADDRESS])
async def update_webhook(tx: Tx, webhook_id: UUID, data: EndpointPatch, guard: Guard) -> Envelope[Endpoint]:
    """Change a webhook endpoint. While it is inactive, pending deliveries wait."""
    return Envelope(await actions.update(tx, webhook_id, data, guard))


@routes.delete("/webhooks/{webhook_id}", scope=Scope.WEBHOOKS_WRITE, status=204, errors=["webhook_not_found"])
async def delete_webhook(tx: Tx, webhook_id: UUID) -> None:
    """Delete a webhook endpoint with its history. Nothing more is sent to it."""
    await actions.delete(tx, webhook_id)


@routes.post("/webhooks/{webhook_id}/rotate-secret", scope=Scope.WEBHOOKS_WRITE, errors=["webhook_not_found"])
async def rotate_webhook_secret(tx: Tx, webhook_id: UUID) -> Envelope[IssuedEndpoint]:
    """Give an endpoint a new secret, shown this once. The one it replaces signs as well for 24 hours."""
    return Envelope(await actions.rotate_secret(tx, webhook_id))


@routes.post("/webhooks/{webhook_id}/test", scope=Scope.WEBHOOKS_WRITE, errors=["webhook_not_found"])
async def test_webhook(tx: Tx, webhook_id: UUID) -> Envelope[Delivery]:
    """Send a `webhook.test` event, whatever the endpoint subscribes to and whether or not it is active."""
    return Envelope(await actions.test(tx, webhook_id))


@routes.post(
    "/webhooks/{webhook_id}/replay", scope=Scope.WEBHOOKS_WRITE, status=202, errors=["webhook_not_found"]
)
async def replay_events(tx: Tx, webhook_id: UUID, data: NewReplay) -> Envelope[Replay]:
    """Send past events again, those of the last 30 days that lie in a span of time.

    Never sent again: any `webhook.test`, and the endpoint's own `webhook.failed`.
    """
    return Envelope(await actions.replay(tx, webhook_id, data))


@routes.get("/webhooks/{webhook_id}/replays", scope=Scope.WEBHOOKS_READ, errors=["webhook_not_found"])
async def list_replays(tx: Tx, webhook_id: UUID, query: ListQuery) -> Page[Replay]:
    """List an endpoint's replays, newest first; those that are done are kept as long as deliveries."""
    await queries.get(tx, webhook_id)
    return await fetch_page(tx, REPLAYS, query, webhook_id)


@routes.get(
    "/webhooks/{webhook_id}/replays/{replay_id}",
    scope=Scope.WEBHOOKS_READ,
    errors=["webhook_not_found", "replay_not_found"],
)
async def get_replay(tx: Tx, webhook_id: UUID, replay_id: UUID, query: ItemQuery) -> Envelope[Replay]:
    """Read how far a replay is."""
    await queries.get(tx, webhook_id)
    return Envelope(await get_row(tx, REPLAYS, replay_id, webhook_id, missing="replay_not_found"))


@routes.get("/webhooks/{webhook_id}/deliveries", scope=Scope.WEBHOOKS_READ, errors=["webhook_not_found"])
async def list_deliveries(tx: Tx, webhook_id: UUID, query: DeliveryQuery) -> Page[Delivery]:
    """List an endpoint's deliveries, newest first, each with its attempts."""
    await queries.get(tx, webhook_id)
    return await history.list_deliveries(tx, webhook_id, query)


@routes.get(
    "/webhooks/{webhook_id}/deliveries/{delivery_id}",
    scope=Scope.WEBHOOKS_READ,
    errors=["webhook_not_found", "delivery_not_found"],
)
async def get_delivery(tx: Tx, webhook_id: UUID, delivery_id: UUID, query: ItemQuery) -> Envelope[Delivery]:
    """Read one delivery with its attempts."""
    await queries.get(tx, webhook_id)
    return Envelope(await history.get_delivery(tx, webhook_id, delivery_id))


@routes.post(
    "/webhooks/{webhook_id}/deliveries/{delivery_id}/retry",
    scope=Scope.WEBHOOKS_WRITE,
    status=202,
    errors=["webhook_not_found", "delivery_not_found", "delivery_in_progress", "event_not_kept"],
)
async def retry_delivery(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Envelope[Delivery]:
    """Start a new cycle of attempts for a delivery, at the endpoint's present address and secret."""
    return Envelope(await actions.retry(tx, webhook_id, delivery_id))
