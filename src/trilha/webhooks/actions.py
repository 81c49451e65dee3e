"""What can be done to a webhook endpoint and its deliveries."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from msgspec import UNSET, Struct, structs

from trilha.audit import queries as audit
from trilha.core.credentials import DEFAULT_GRACE
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.core.outbound.guard import Blocked, Guard
from trilha.core.types import Timestamp
from trilha.events.catalogue import WebhookActivated, WebhookTest
from trilha.events.outbox import emit, emit_relayed
from trilha.webhooks import errors as errors
from trilha.webhooks import history, queries
from trilha.webhooks.delivery import queue
from trilha.webhooks.delivery.signing import generate_secret
from trilha.webhooks.schema import (
    Delivery,
    Endpoint,
    EndpointPatch,
    IssuedEndpoint,
    NewEndpoint,
    NewReplay,
    Replay,
)


class EndpointLimit(Struct, frozen=True):
    """How many endpoints a tenant may have."""

    most: int


async def create(tx: Tx, new: NewEndpoint, guard: Guard, limit: EndpointLimit) -> IssuedEndpoint:
    """The endpoint with its secret, shown this once.

    Raises Invalid for an address that is not allowed, and Conflict where the tenant has as many as it may.
    """
    await queries.lock_creation(tx)
    if await queries.count(tx) >= limit.most:
        raise Conflict("too_many_webhooks")
    webhook_id, secret = uuid4(), generate_secret()
    endpoint = await queries.insert(
        tx,
        {
            "id": webhook_id,
            "url": _checked_url(new.url, guard),
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
    """The endpoint afterwards. Raises NotFound, and Invalid for an address that is not allowed."""
    endpoint = await queries.get_for_update(tx, webhook_id)
    values = {name: value for name, value in structs.asdict(patch).items() if value is not UNSET}
    if "url" in values:
        values["url"] = _checked_url(values["url"], guard)
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
    """Nothing more is sent to it. Raises NotFound."""
    endpoint = await queries.get_for_update(tx, webhook_id)
    await queries.delete(tx, webhook_id)
    await _record(tx, "deleted", endpoint)


async def rotate_secret(tx: Tx, webhook_id: UUID) -> IssuedEndpoint:
    """A new secret; the one it replaces signs as well for a day more. Raises NotFound."""
    endpoint = await queries.touch(tx, webhook_id)
    until = Timestamp.of(tx.now + DEFAULT_GRACE)
    await queries.SECRETS.end(tx, webhook_id, until)
    await queries.delete_ended_secrets(tx, webhook_id)
    secret = generate_secret()
    await queries.SECRETS.insert(tx, webhook_id, _seal(tx, webhook_id, secret))
    await _record(tx, "secret_rotated", endpoint)
    return IssuedEndpoint(**structs.asdict(endpoint), secret=secret, previous_secret_expires_at=until)


async def test(tx: Tx, webhook_id: UUID) -> Delivery:
    """Enqueues a webhook.test for this endpoint alone. Raises NotFound."""
    await queries.get(tx, webhook_id)
    event_id = await emit_relayed(tx, WebhookTest(endpoint_id=webhook_id))
    delivery = await history.enqueue_test(tx, webhook_id, event_id)
    await queue.set_due(tx, [webhook_id])
    return delivery


async def retry(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    """Starts a new cycle of attempts, at the endpoint's present URL and with its present secrets.

    Raises NotFound, and Conflict while it is being sent or when its event is past its retention.
    """
    endpoint = await queries.get(tx, webhook_id)
    kept = await history.has_event(tx, webhook_id, delivery_id)
    if kept is None:
        raise NotFound("delivery_not_found")
    if not kept:
        raise Conflict("event_not_kept")
    delivery = await history.restart(tx, webhook_id, delivery_id)
    if delivery is None:
        raise Conflict("delivery_in_progress")
    await queue.set_due(tx, [webhook_id])
    await _record(tx, "delivery_retried", endpoint, delivery_id=delivery_id)
    return delivery


async def replay(tx: Tx, webhook_id: UUID, new: NewReplay) -> Replay:
    """Asks the worker to enqueue past events. Raises NotFound, and Invalid for an empty span."""
    if new.until <= new.since:
        raise invalid("until", "out_of_range")
    endpoint = await queries.get(tx, webhook_id)
    replay = await history.insert_replay(tx, webhook_id, new)
    await _record(tx, "replayed", endpoint, since=new.since, until=new.until, event_types=new.event_types)
    return replay


async def _record(tx: Tx, action: str, endpoint: Endpoint, **detail: Any) -> None:
    """With the host alone: a path may hold a token, and the audit record is never deleted."""
    await audit.record(tx, f"webhook.{action}", endpoint.id, _host(endpoint.url), **detail)


def _host(url: str) -> str:
    """Empty where there is none: an address that was taken once may be refused by now."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _checked_url(url: str, guard: Guard) -> str:
    try:
        return guard.parse(url)
    except Blocked as blocked:
        raise invalid("url", str(blocked)) from None


def _without_repeats(events: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(events))


def _seal(tx: Tx, webhook_id: UUID, secret: str) -> bytes:
    return tx.keyring.seal(secret, tx.tenant_id, "webhooks", webhook_id)
