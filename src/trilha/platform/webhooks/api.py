"""The routes /v1/webhooks."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.lists import fetch_page, get_row
from trilha.core.outbound.guard import Guard
from trilha.core.web.pagination import ItemQuery, ListQuery, Page
from trilha.core.web.routes import Envelope, Routes
from trilha.platform.webhooks import actions, history, queries
from trilha.platform.webhooks.lists import ENDPOINTS, REPLAYS
from trilha.platform.webhooks.schema import (
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
    """Create a webhook endpoint. The response contains its signing secret, which is not returned again."""
    return Envelope(await actions.create(tx, data, guard, limit))


@routes.get("/webhooks/{webhook_id}", scope=Scope.WEBHOOKS_READ, errors=["webhook_not_found"])
async def get_webhook(tx: Tx, webhook_id: UUID, query: ItemQuery) -> Envelope[Endpoint]:
    """Retrieve a webhook endpoint."""
    return Envelope(await queries.get(tx, webhook_id))


@routes.patch("/webhooks/{webhook_id}", scope=Scope.WEBHOOKS_WRITE, errors=["webhook_not_found", *_ADDRESS])
async def update_webhook(tx: Tx, webhook_id: UUID, data: EndpointPatch, guard: Guard) -> Envelope[Endpoint]:
    """Update a webhook endpoint. While an endpoint is inactive, its pending deliveries wait."""
    return Envelope(await actions.update(tx, webhook_id, data, guard))


@routes.delete("/webhooks/{webhook_id}", scope=Scope.WEBHOOKS_WRITE, status=204, errors=["webhook_not_found"])
async def delete_webhook(tx: Tx, webhook_id: UUID) -> None:
    """Delete a webhook endpoint and its history. It receives no more requests."""
    await actions.delete(tx, webhook_id)


@routes.post("/webhooks/{webhook_id}/rotate-secret", scope=Scope.WEBHOOKS_WRITE, errors=["webhook_not_found"])
async def rotate_webhook_secret(tx: Tx, webhook_id: UUID) -> Envelope[IssuedEndpoint]:
    """Rotate the signing secret of an endpoint. The new secret is returned only once. Deliveries are also
    signed with the previous secret for 24 hours.
    """
    return Envelope(await actions.rotate_secret(tx, webhook_id))


@routes.post("/webhooks/{webhook_id}/test", scope=Scope.WEBHOOKS_WRITE, errors=["webhook_not_found"])
async def test_webhook(tx: Tx, webhook_id: UUID) -> Envelope[Delivery]:
    """Send a `webhook.test` event to an endpoint. It is sent even if the endpoint is inactive or does not
    subscribe to the event.
    """
    return Envelope(await actions.test(tx, webhook_id))


@routes.post(
    "/webhooks/{webhook_id}/replay", scope=Scope.WEBHOOKS_WRITE, status=202, errors=["webhook_not_found"]
)
async def replay_events(tx: Tx, webhook_id: UUID, data: NewReplay) -> Envelope[Replay]:
    """Send past events again: those of a time range within the last 30 days.

    `webhook.test` events and the endpoint's own `webhook.failed` events are not sent again.
    """
    return Envelope(await actions.replay(tx, webhook_id, data))


@routes.get("/webhooks/{webhook_id}/replays", scope=Scope.WEBHOOKS_READ, errors=["webhook_not_found"])
async def list_replays(tx: Tx, webhook_id: UUID, query: ListQuery) -> Page[Replay]:
    """List the replays of an endpoint, newest first. Finished replays are kept as long as deliveries."""
    await queries.get(tx, webhook_id)
    return await fetch_page(tx, REPLAYS, query, webhook_id)


@routes.get(
    "/webhooks/{webhook_id}/replays/{replay_id}",
    scope=Scope.WEBHOOKS_READ,
    errors=["webhook_not_found", "replay_not_found"],
)
async def get_replay(tx: Tx, webhook_id: UUID, replay_id: UUID, query: ItemQuery) -> Envelope[Replay]:
    """Retrieve a replay and its progress."""
    await queries.get(tx, webhook_id)
    return Envelope(await get_row(tx, REPLAYS, replay_id, webhook_id, missing="replay_not_found"))


@routes.get("/webhooks/{webhook_id}/deliveries", scope=Scope.WEBHOOKS_READ, errors=["webhook_not_found"])
async def list_deliveries(tx: Tx, webhook_id: UUID, query: DeliveryQuery) -> Page[Delivery]:
    """List the deliveries of an endpoint with their attempts, newest first."""
    await queries.get(tx, webhook_id)
    return await history.list_deliveries(tx, webhook_id, query)


@routes.get(
    "/webhooks/{webhook_id}/deliveries/{delivery_id}",
    scope=Scope.WEBHOOKS_READ,
    errors=["webhook_not_found", "delivery_not_found"],
)
async def get_delivery(tx: Tx, webhook_id: UUID, delivery_id: UUID, query: ItemQuery) -> Envelope[Delivery]:
    """Retrieve a delivery with its attempts."""
    await queries.get(tx, webhook_id)
    return Envelope(await history.get_delivery(tx, webhook_id, delivery_id))


@routes.post(
    "/webhooks/{webhook_id}/deliveries/{delivery_id}/retry",
    scope=Scope.WEBHOOKS_WRITE,
    status=202,
    errors=["webhook_not_found", "delivery_not_found", "delivery_in_progress", "event_not_kept"],
)
async def retry_delivery(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Envelope[Delivery]:
    """Retry a delivery with the endpoint's current URL and secrets. This starts a new cycle of attempts."""
    return Envelope(await actions.retry(tx, webhook_id, delivery_id))
