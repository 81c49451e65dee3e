"""SQL of the relay, which turns events into deliveries."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.platform.webhooks.delivery import queue


class NewEvent(Struct, frozen=True):
    """An event that has no deliveries yet."""

    id: UUID
    type: str
    sequence: int
    # endpoints with this number or a higher one were created after the event was committed
    before_endpoint: int | None
    failed_endpoint_id: UUID | None  # set for webhook.failed: this endpoint does not receive its own failures


async def take_new_events(tx: Tx, limit: int) -> list[NewEvent]:
    """Takes the oldest events that are not relayed yet, and marks them as relayed.

    It gives them the next positions in the forward feed, which are above all earlier positions and above
    the current time, so that no event appears twice.
    """
    return await tx.list(
        NewEvent,
        """
        WITH oldest AS (
            SELECT id, sequence FROM events WHERE tenant_id = :tenant AND NOT relayed
            ORDER BY sequence LIMIT :limit FOR UPDATE SKIP LOCKED),
        placed AS (
            SELECT id, row_number() OVER (ORDER BY sequence, id) + GREATEST(
                (extract(epoch FROM CAST(:now AS timestamptz(3))) * 1000000)::bigint,
                (SELECT position FROM events WHERE tenant_id = :tenant AND position IS NOT NULL
                 ORDER BY position DESC LIMIT 1)) AS position
            FROM oldest)
        UPDATE events AS event SET relayed = true, position = placed.position
        FROM placed WHERE event.tenant_id = :tenant AND event.id = placed.id
        RETURNING event.id, type, sequence, before_endpoint,
                  CASE WHEN type = 'webhook.failed' THEN (data ->> 'endpoint_id')::uuid END
                      AS failed_endpoint_id
        """,
        limit=limit,
    )


async def lock(tx: Tx) -> bool:
    """Locks the tenant until the transaction ends, against other relays and against new endpoints.

    Returns False at once if the lock is taken. Two relays at once could finish in the wrong order.
    """
    locked: bool = await tx.value(
        "SELECT pg_try_advisory_xact_lock(hashtextextended('webhook_endpoints ' || :tenant::uuid::text, 0))"
    )
    return locked


async def count_receivers(tx: Tx) -> int:
    """Counts the endpoints that receive deliveries."""
    count: int = await tx.value(
        """
        SELECT count(*) FROM webhook_endpoints
        WHERE tenant_id = :tenant AND active AND deleted_at IS NULL
        """
    )
    return count


async def enqueue(tx: Tx, events: Sequence[NewEvent]) -> None:
    """Creates a delivery for each endpoint that subscribes to an event."""
    rows = await tx.rows(
        """
        WITH enqueued AS (
            INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, event_sequence,
                                            next_attempt_at, created_at, updated_at)
            SELECT :tenant, endpoint.id, event.id, event.type, event.sequence, :now, :now, :now
            FROM webhook_endpoints AS endpoint
            JOIN unnest(:ids::uuid[], :types::text[], :sequences::bigint[], :before_endpoints::bigint[],
                        :failed_endpoints::uuid[])
                 AS event (id, type, sequence, before_endpoint, failed_endpoint)
                 ON event.type = ANY(endpoint.events)
                    OR split_part(event.type, '.', 1) || '.*' = ANY(endpoint.events)
            WHERE endpoint.tenant_id = :tenant AND endpoint.active AND endpoint.deleted_at IS NULL
              AND (event.before_endpoint IS NULL OR endpoint.number < event.before_endpoint)
              AND event.failed_endpoint IS DISTINCT FROM endpoint.id
            ON CONFLICT (tenant_id, event_id, endpoint_id) DO NOTHING
            RETURNING endpoint_id)
        SELECT DISTINCT endpoint_id FROM enqueued
        """,
        ids=[event.id for event in events],
        types=[event.type for event in events],
        sequences=[event.sequence for event in events],
        before_endpoints=[event.before_endpoint for event in events],
        failed_endpoints=[event.failed_endpoint_id for event in events],
    )
    if rows:
        await queue.set_relayed(tx, [row["endpoint_id"] for row in rows])
