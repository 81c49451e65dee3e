"""Changes to webhook endpoints and their deliveries."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from msgspec import UNSET, Struct, structs

from trilha.core.credentials import DEFAULT_GRACE
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.resealing.columns import SealedColumn
from trilha.core.types import Timestamp
from trilha.platform.audit import queries as audit
from trilha.platform.events.catalogue import WebhookActivated, WebhookTest
from trilha.platform.events.outbox import emit, emit_relayed
from trilha.platform.webhooks import errors as errors
from trilha.platform.webhooks import history, queries
from trilha.platform.webhooks.delivery import queue
from trilha.platform.webhooks.delivery.signing import generate_secret
from trilha.platform.webhooks.schema import (
    Delivery,
    Endpoint,
    EndpointPatch,
    IssuedEndpoint,
    NewEndpoint,
    NewReplay,
    Replay,
)

_CONTEXT = "webhooks"
SEALED_SECRETS = SealedColumn(
    kind="webhook secrets",
    table="webhook_secrets",
    column="secret",
    keys={"endpoint_id": "uuid", "number": "integer"},
    context=lambda row: (_CONTEXT, row["endpoint_id"]),
)


class EndpointLimit(Struct, frozen=True):
    """The maximum number of endpoints of a tenant."""

    maximum: int


async def create(tx: Tx, new: NewEndpoint, guard: Guard, limit: EndpointLimit) -> IssuedEndpoint:
    """Creates an endpoint and returns it with its secret, which is not returned again.

    Raises Invalid for an address that is not allowed, and Conflict if the tenant has the maximum number of
    endpoints.
    """
    await queries.lock_creation(tx)
    if await queries.count(tx) >= limit.maximum:
        raise Conflict("too_many_webhooks")
    webhook_id, secret = uuid4(), generate_secret()
    endpoint = await queries.insert(
        tx,
        {
            "id": webhook_id,
            "url": _check_url(new.url, guard),
            "events": _without_repeats(new.events),
            "description": new.description,
            "active": new.active,
        },
    )
    await queries.SECRETS.insert(tx, webhook_id, _seal(tx, webhook_id, secret))
    await queries.mark_past_events(tx, webhook_id)
    await _record(tx, "created", endpoint, events=endpoint.events, active=endpoint.active)
    return IssuedEndpoint(**structs.asdict(endpoint), secret=secret)


async def update(tx: Tx, webhook_id: UUID, patch: EndpointPatch, guard: Guard) -> Endpoint:
    """Changes an endpoint. Raises NotFound, and Invalid for an address that is not allowed."""
    endpoint = await queries.get_for_update(tx, webhook_id)
    values = {name: value for name, value in structs.asdict(patch).items() if value is not UNSET}
    if "url" in values:
        values["url"] = _check_url(values["url"], guard)
    if "events" in values:
        values["events"] = _without_repeats(values["events"])
    values = {name: value for name, value in values.items() if value != getattr(endpoint, name)}
    if not values:
        return endpoint
    changed = await queries.update(tx, webhook_id, values)
    await _record(tx, "updated", changed, changed=list(values), active=changed.active)
    if changed.active and not endpoint.active:
        await queue.set_due(tx, [webhook_id])
        await emit(tx, WebhookActivated(endpoint_id=webhook_id))
    return changed


async def delete(tx: Tx, webhook_id: UUID) -> None:
    """Deletes an endpoint, which receives nothing from then on. Raises NotFound."""
    endpoint = await queries.get_for_update(tx, webhook_id)
    await queries.delete(tx, webhook_id)
    await _record(tx, "deleted", endpoint)


async def rotate_secret(tx: Tx, webhook_id: UUID) -> IssuedEndpoint:
    """Creates a new secret. The previous one also signs for another day. Raises NotFound."""
    endpoint = await queries.touch(tx, webhook_id)
    until = Timestamp.of(tx.now + DEFAULT_GRACE)
    await queries.SECRETS.end(tx, webhook_id, until)
    await queries.delete_ended_secrets(tx, webhook_id)
    secret = generate_secret()
    await queries.SECRETS.insert(tx, webhook_id, _seal(tx, webhook_id, secret))
    await _record(tx, "secret_rotated", endpoint)
    return IssuedEndpoint(**structs.asdict(endpoint), secret=secret, previous_secret_expires_at=until)


async def test(tx: Tx, webhook_id: UUID) -> Delivery:
    """Enqueues a webhook.test event for this endpoint alone. Raises NotFound."""
    await queries.get(tx, webhook_id)
    event_id = await emit_relayed(tx, WebhookTest(endpoint_id=webhook_id))
    delivery = await history.enqueue_test(tx, webhook_id, event_id)
    await queue.set_due(tx, [webhook_id])
    return delivery


async def retry(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    """Starts a new cycle of attempts with the endpoint's current URL and secrets.

    Raises NotFound, and Conflict while the delivery is being sent or if its event is no longer stored.
    """
    endpoint = await queries.get(tx, webhook_id)
    is_stored = await history.has_event(tx, webhook_id, delivery_id)
    if is_stored is None:
        raise NotFound("delivery_not_found")
    if not is_stored:
        raise Conflict("event_not_kept")
    delivery = await history.restart(tx, webhook_id, delivery_id)
    if delivery is None:
        raise Conflict("delivery_in_progress")
    await queue.set_due(tx, [webhook_id])
    await _record(tx, "delivery_retried", endpoint, delivery_id=delivery_id)
    return delivery


async def replay(tx: Tx, webhook_id: UUID, new: NewReplay) -> Replay:
    """Requests that the worker enqueues past events. Raises NotFound, and Invalid for an empty range."""
    if new.until <= new.since:
        raise invalid("until", "out_of_range")
    endpoint = await queries.get(tx, webhook_id)
    replay = await history.insert_replay(tx, webhook_id, new)
    await _record(tx, "replayed", endpoint, since=new.since, until=new.until, event_types=new.event_types)
    return replay


async def _record(tx: Tx, action: str, endpoint: Endpoint, **detail: Any) -> None:
    """Records only the host: a path may contain a token, and audit records are never deleted."""
    await audit.record(tx, f"webhook.{action}", endpoint.id, _host(endpoint.url), **detail)


def _host(url: str) -> str:
    """Returns the host, or an empty string for an address that is no longer accepted."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _check_url(url: str, guard: Guard) -> str:
    try:
        return guard.parse(url)
    except BlockedAddress as blocked:
        raise invalid("url", str(blocked)) from None


def _without_repeats(events: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(events))


def _seal(tx: Tx, webhook_id: UUID, secret: str) -> bytes:
    return tx.keyring.seal(secret, tx.tenant_id, _CONTEXT, webhook_id)
