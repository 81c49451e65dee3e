"""The SQL of webhook endpoints and their history."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct, convert, structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.secret_tables import SecretTable
from trilha.core.types import dec_hook
from trilha.core.web.pagination import ListQuery, Page, fetch_page
from trilha.webhooks.schema import (
    Attempt,
    Delivery,
    DeliveryQuery,
    Endpoint,
    EndpointQuery,
    EventDelivery,
    NewReplay,
    Replay,
)

_COLUMNS = ", ".join(Endpoint.__struct_fields__)
SECRETS = SecretTable("webhook_secrets", owner="endpoint_id", content="secret")
_LIVE = f"SELECT {_COLUMNS} FROM webhook_endpoints WHERE tenant_id = :tenant AND deleted_at IS NULL"  # noqa: S608
_DELIVERY = """
    id, 'evt_' || replace(event_id::text, '-', '') AS event_id, event_type, status, attempts,
    (attempt_log -> -1 ->> 'http_status')::int AS http_status,
    attempt_log -> -1 ->> 'response_body' AS response_body,
    next_attempt_at, delivered_at, created_at, updated_at, attempt_log
"""
_REPLAY = ", ".join(Replay.__struct_fields__)
_STATES = {
    "active": "active",
    "inactive": "NOT active",
    "failing": "active AND failure_count > 0",
}


async def list_page(tx: Tx, query: ListQuery) -> Page[Endpoint]:
    return await fetch_page(tx, Endpoint, _LIVE, query, route="webhooks")


async def search(tx: Tx, query: EndpointQuery) -> Page[Endpoint]:
    where = [_STATES[query.state]] if query.state else []
    if query.q:
        where.append("strpos(lower(url || ' ' || COALESCE(description, '')), lower(:q)) > 0")
    params = dict[str, Any](q=query.q) if query.q else {}
    return await fetch_page(
        tx,
        Endpoint,
        _LIVE,
        query,
        route="webhooks by state",
        where=where,
        **params,
    )


async def get(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Raises NotFound."""
    return _found(await tx.find(Endpoint, f"{_LIVE} AND id = :webhook_id", webhook_id=webhook_id))


async def get_for_update(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Raises NotFound."""
    sql = f"{_LIVE} AND id = :webhook_id FOR UPDATE"
    return _found(await tx.find(Endpoint, sql, webhook_id=webhook_id))


async def lock_creation(tx: Tx) -> None:
    """Until the transaction ends, nobody else creates an endpoint in this tenant, or relays its events."""
    await tx.rows(
        "SELECT pg_advisory_xact_lock(hashtextextended('webhook_endpoints ' || :tenant::uuid::text, 0))"
    )


async def count(tx: Tx) -> int:
    """Those that are deleted not among them."""
    found: int = await tx.value(
        "SELECT count(*) FROM webhook_endpoints WHERE tenant_id = :tenant AND deleted_at IS NULL"
    )
    return found


class DeadLetters(Struct, frozen=True):
    """How many an endpoint has."""

    id: UUID
    url: str
    description: str | None
    count: int


async def count_dead_letters(tx: Tx, since: datetime, most: int) -> list[DeadLetters]:
    """By endpoint, of deliveries made since then; up to `most` each, without those that have none."""
    return await tx.list(
        DeadLetters,
        """
        SELECT endpoint.id, endpoint.url, endpoint.description, dead.count
        FROM webhook_endpoints AS endpoint CROSS JOIN LATERAL (
            SELECT count(*) FROM (
                SELECT FROM webhook_deliveries
                WHERE tenant_id = :tenant AND endpoint_id = endpoint.id AND status = 'DEAD_LETTER'
                  AND created_at >= :since LIMIT :most) AS found) AS dead
        WHERE endpoint.tenant_id = :tenant AND endpoint.deleted_at IS NULL AND dead.count > 0
        """,
        since=since,
        most=most,
    )


async def mark_past_events(tx: Tx, webhook_id: UUID) -> None:
    """Events that are committed by now came before this endpoint, whatever their times say.

    What is relayed already needs no mark, and what bears that of an older endpoint keeps it.
    """
    await tx.execute(
        """
        UPDATE events SET before_endpoint = (
            SELECT number FROM webhook_endpoints WHERE tenant_id = :tenant AND id = :webhook_id)
        WHERE tenant_id = :tenant AND NOT relayed AND before_endpoint IS NULL
        """,
        webhook_id=webhook_id,
    )


async def insert(tx: Tx, values: Mapping[str, Any]) -> Endpoint:
    endpoint = await tx.find(
        Endpoint,
        f"""
        WITH inserted AS (
            INSERT INTO webhook_endpoints (tenant_id, {", ".join(values)}, created_at, updated_at)
            VALUES (:tenant, {", ".join(f":{name}" for name in values)}, :now, :now)
            RETURNING *),
        queue AS (
            INSERT INTO webhook_queues (tenant_id, endpoint_id) SELECT :tenant, id FROM inserted)
        SELECT {_COLUMNS} FROM inserted
        """,  # noqa: S608
        **values,
    )
    assert endpoint is not None
    return endpoint


async def update(tx: Tx, webhook_id: UUID, values: Mapping[str, Any]) -> Endpoint:
    endpoint = await tx.find(
        Endpoint,
        f"""
        UPDATE webhook_endpoints SET {", ".join(f"{name} = :{name}" for name in values)}, updated_at = :now
        WHERE tenant_id = :tenant AND id = :webhook_id
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        webhook_id=webhook_id,
        **values,
    )
    assert endpoint is not None
    return endpoint


async def delete(tx: Tx, webhook_id: UUID) -> None:
    """The worker deletes its history later."""
    await tx.execute(
        """
        UPDATE webhook_endpoints SET deleted_at = :now, active = false, updated_at = :now
        WHERE tenant_id = :tenant AND id = :webhook_id AND deleted_at IS NULL
        """,
        webhook_id=webhook_id,
    )


async def touch(tx: Tx, webhook_id: UUID) -> Endpoint:
    """Locks the endpoint and notes that it changes. Raises NotFound."""
    endpoint = await tx.find(
        Endpoint,
        f"""
        UPDATE webhook_endpoints SET updated_at = :now
        WHERE tenant_id = :tenant AND id = :webhook_id AND deleted_at IS NULL
        RETURNING {_COLUMNS}
        """,  # noqa: S608
        webhook_id=webhook_id,
    )
    return _found(endpoint)


async def delete_ended_secrets(tx: Tx, webhook_id: UUID) -> None:
    """What signs nothing any more needs not be kept, be it sealed."""
    await tx.execute(
        """
        DELETE FROM webhook_secrets
        WHERE tenant_id = :tenant AND endpoint_id = :webhook_id AND expires_at <= :now
        """,
        webhook_id=webhook_id,
    )


async def list_deliveries(tx: Tx, webhook_id: UUID, query: DeliveryQuery) -> Page[Delivery]:
    where, params = [], dict[str, Any]()
    for name, condition in (
        ("status", "status = :status"),
        ("event_type", "event_type = :event_type"),
        ("since", "created_at >= :since"),
        ("until", "created_at < :until"),
    ):
        if (value := getattr(query, name)) is not None:
            where.append(condition)
            params[name] = value
    page = await fetch_page(
        tx,
        Delivery,
        f"SELECT {_DELIVERY} FROM webhook_deliveries WHERE tenant_id = :tenant AND endpoint_id = :webhook_id",  # noqa: S608
        query,
        route=f"webhooks/{webhook_id}/deliveries",
        where=where,
        webhook_id=webhook_id,
        **params,
    )
    return structs.replace(page, data=[_in_order(delivery) for delivery in page.data])


async def get_delivery(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    """Raises NotFound."""
    delivery = await tx.find(
        Delivery,
        f"""
        SELECT {_DELIVERY} FROM webhook_deliveries
        WHERE tenant_id = :tenant AND endpoint_id = :webhook_id AND id = :delivery_id
        """,  # noqa: S608
        webhook_id=webhook_id,
        delivery_id=delivery_id,
    )
    if delivery is None:
        raise NotFound("delivery_not_found")
    return _in_order(delivery)


async def list_event_deliveries(tx: Tx, event_id: UUID) -> list[EventDelivery]:
    """Of one event, to endpoints that are still there: as many as these at most."""
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


async def list_replays(tx: Tx, webhook_id: UUID) -> list[Replay]:
    """Those that are not finished."""
    return await tx.list(
        Replay,
        f"""
        SELECT {_REPLAY} FROM webhook_replays
        WHERE tenant_id = :tenant AND endpoint_id = :webhook_id ORDER BY created_at
        """,  # noqa: S608
        webhook_id=webhook_id,
    )


def _in_order(delivery: Delivery) -> Delivery:
    """The members of an attempt as they are declared; PostgreSQL keeps them in an order of its own."""
    return structs.replace(
        delivery, attempt_log=convert(delivery.attempt_log, list[Attempt], dec_hook=dec_hook)
    )


async def enqueue_test(tx: Tx, webhook_id: UUID, event_id: UUID) -> Delivery:
    """A delivery that goes out whether or not the endpoint is active and subscribes."""
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
    """Whether the event of a delivery is still kept. None where there is no such delivery."""
    kept: bool | None = await tx.value(
        """
        SELECT EXISTS (SELECT FROM events e WHERE e.tenant_id = :tenant AND e.id = d.event_id)
        FROM webhook_deliveries d
        WHERE d.tenant_id = :tenant AND d.id = :delivery_id AND d.endpoint_id = :webhook_id
        """,
        webhook_id=webhook_id,
        delivery_id=delivery_id,
    )
    return kept


async def restart(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery | None:
    """Starts a new cycle of attempts, due now. None while it is being sent."""
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


def _found(endpoint: Endpoint | None) -> Endpoint:
    if endpoint is None:
        raise NotFound("webhook_not_found")
    return endpoint
