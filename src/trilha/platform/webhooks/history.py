"""SQL of the delivery history and of replays."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct, convert, structs

from trilha.core.database import Tx
from trilha.core.lists import MAX_COUNTED, fetch_page, get_row
from trilha.core.types import dec_hook
from trilha.core.web.pagination import Page
from trilha.platform.webhooks.lists import DELIVERIES, DELIVERY
from trilha.platform.webhooks.schema import Attempt, Delivery, DeliveryQuery, EventDelivery, NewReplay, Replay

_DELIVERY = ", ".join(f"{DELIVERY.get(name, name)} AS {name}" for name in Delivery.__struct_fields__)
_REPLAY = ", ".join(Replay.__struct_fields__)


class DeadLetters(Struct, frozen=True):
    """The number of dead letters of an endpoint."""

    id: UUID
    url: str
    description: str | None
    count: int


async def count_dead_letters(tx: Tx, since: datetime) -> list[DeadLetters]:
    """By endpoint, of deliveries made since then, without those that have none; MAX_COUNTED + 1 at most."""
    return await tx.list(
        DeadLetters,
        """
        SELECT endpoint.id, endpoint.url, endpoint.description, dead.count
        FROM webhook_endpoints AS endpoint CROSS JOIN LATERAL (
            SELECT count(*) FROM (
                SELECT FROM webhook_deliveries
                WHERE tenant_id = :tenant AND endpoint_id = endpoint.id AND status = 'DEAD_LETTER'
                  AND created_at >= :since LIMIT :limit) AS letters) AS dead
        WHERE endpoint.tenant_id = :tenant AND endpoint.deleted_at IS NULL AND dead.count > 0
        """,
        since=since,
        limit=MAX_COUNTED + 1,
    )


async def list_deliveries(tx: Tx, webhook_id: UUID, query: DeliveryQuery) -> Page[Delivery]:
    page = await fetch_page(tx, DELIVERIES, query, webhook_id)
    return structs.replace(page, data=[_in_order(delivery) for delivery in page.data])


async def get_delivery(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    """Returns a delivery. Raises NotFound."""
    return _in_order(await get_row(tx, DELIVERIES, delivery_id, webhook_id, missing="delivery_not_found"))


async def list_event_deliveries(tx: Tx, event_id: UUID) -> list[EventDelivery]:
    """Lists the deliveries of an event to endpoints that still exist, up to a limit."""
    return await tx.list(
        EventDelivery,
        """
        SELECT d.id, d.endpoint_id, e.url, d.status, d.attempts,
               (d.attempt_log -> -1 ->> 'http_status')::int AS http_status, d.updated_at
        FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
        WHERE d.tenant_id = :tenant AND e.tenant_id = :tenant AND e.deleted_at IS NULL
          AND d.event_id = :event_id
        ORDER BY d.created_at, d.id
        """,
        event_id=event_id,
    )


async def enqueue_test(tx: Tx, webhook_id: UUID, event_id: UUID) -> Delivery:
    """Creates a test delivery. It is sent even if the endpoint is inactive or does not subscribe to the
    event.
    """
    delivery = await tx.find(
        Delivery,
        f"""
        INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, event_sequence, forced,
                                        next_attempt_at, created_at, updated_at)
        SELECT :tenant, :webhook_id, id, type, sequence, true, :now, :now, :now
        FROM events WHERE tenant_id = :tenant AND id = :event_id
        RETURNING {_DELIVERY}
        """,  # noqa: S608
        webhook_id=webhook_id,
        event_id=event_id,
    )
    assert delivery is not None
    return delivery


async def has_event(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> bool | None:
    """Returns whether the event of a delivery is still stored. None if the delivery does not exist."""
    is_stored: bool | None = await tx.value(
        """
        SELECT EXISTS (SELECT FROM events e WHERE e.tenant_id = :tenant AND e.id = d.event_id)
        FROM webhook_deliveries d
        WHERE d.tenant_id = :tenant AND d.id = :delivery_id AND d.endpoint_id = :webhook_id
        """,
        webhook_id=webhook_id,
        delivery_id=delivery_id,
    )
    return is_stored


async def restart(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery | None:
    """Starts a new cycle of attempts, due now. Returns None while the delivery is being sent."""
    delivery = await tx.find(
        Delivery,
        f"""
        UPDATE webhook_deliveries
        SET status = 'PENDING', cycle_attempts = 0, next_attempt_at = :now, delivered_at = NULL,
            claim_id = NULL, claimed_until = NULL, updated_at = :now
        WHERE tenant_id = :tenant AND id = :delivery_id AND endpoint_id = :webhook_id
          AND (claimed_until IS NULL OR claimed_until <= :now)
        RETURNING {_DELIVERY}
        """,  # noqa: S608
        webhook_id=webhook_id,
        delivery_id=delivery_id,
    )
    return None if delivery is None else _in_order(delivery)


async def list_replays(tx: Tx, webhook_id: UUID) -> list[Replay]:
    """Lists the replays that are not finished."""
    return await tx.list(
        Replay,
        f"""
        SELECT {_REPLAY} FROM webhook_replays
        WHERE tenant_id = :tenant AND endpoint_id = :webhook_id AND finished_at IS NULL ORDER BY created_at
        """,  # noqa: S608
        webhook_id=webhook_id,
    )


async def insert_replay(tx: Tx, webhook_id: UUID, new: NewReplay) -> Replay:
    replay = await tx.find(
        Replay,
        f"""
        INSERT INTO webhook_replays (tenant_id, endpoint_id, event_types, since, until, created_at)
        VALUES (:tenant, :webhook_id, :event_types, :since, :until, :now)
        RETURNING {_REPLAY}
        """,  # noqa: S608
        webhook_id=webhook_id,
        event_types=new.event_types,
        since=new.since,
        until=new.until,
    )
    assert replay is not None
    return replay


def _in_order(delivery: Delivery) -> Delivery:
    """Puts the members of an attempt into their declared order, because PostgreSQL reorders them."""
    return structs.replace(
        delivery, attempt_log=convert(delivery.attempt_log, list[Attempt], dec_hook=dec_hook)
    )
