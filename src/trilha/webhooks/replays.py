"""The SQL of replays: a span of events, enqueued for one endpoint batch by batch."""

from typing import Any
from uuid import UUID

from trilha.core.database import Tx


async def take(tx: Tx) -> Any:
    """The oldest replay that is not done, held by this transaction; None where there is none."""
    rows = await tx.rows(
        """
        SELECT r.id, r.endpoint_id, COALESCE(r.event_types, e.events) AS types, r.since, r.until,
               r.after_at, r.after_id, e.deleted_at
        FROM webhook_replays r JOIN webhook_endpoints e ON e.id = r.endpoint_id
        WHERE r.tenant_id = :tenant AND e.tenant_id = :tenant
        ORDER BY r.created_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED
        """
    )
    return rows[0] if rows else None


async def enqueue(tx: Tx, replay: Any, most: int) -> list[Any]:
    """Enqueues the next events of a replay, anew where they were sent before."""
    events = await tx.rows(
        """
        SELECT id, type, created_at FROM events
        WHERE tenant_id = :tenant AND type = ANY(:types) AND created_at >= :since AND created_at < :until
          AND (created_at, id) > (COALESCE(:after_at, '-infinity'::timestamptz),
                                  COALESCE(:after_id, '00000000-0000-0000-0000-000000000000'::uuid))
        ORDER BY created_at, id LIMIT :most
        """,
        types=replay["types"],
        since=replay["since"],
        until=replay["until"],
        after_at=replay["after_at"],
        after_id=replay["after_id"],
        most=most,
    )
    await tx.execute(
        """
        INSERT INTO webhook_deliveries AS d (tenant_id, endpoint_id, event_id, event_type, next_attempt_at,
                                             created_at, updated_at)
        SELECT :tenant, :endpoint_id, event.id, event.type, :now, :now, :now
        FROM unnest(:ids::uuid[], :event_types::text[]) AS event (id, type)
        ON CONFLICT (tenant_id, endpoint_id, event_id) DO UPDATE
        SET status = 'PENDING', cycle_attempts = 0, next_attempt_at = :now, delivered_at = NULL,
            claim_id = NULL, claimed_until = NULL, updated_at = :now
        WHERE d.status <> 'PENDING'
        """,
        endpoint_id=replay["endpoint_id"],
        ids=[event["id"] for event in events],
        event_types=[event["type"] for event in events],
    )
    return list(events)


async def move(tx: Tx, replay_id: UUID, after_at: str, after_id: UUID) -> None:
    await tx.execute(
        """
        UPDATE webhook_replays SET after_at = :after_at, after_id = :after_id
        WHERE tenant_id = :tenant AND id = :replay_id
        """,
        replay_id=replay_id,
        after_at=after_at,
        after_id=after_id,
    )


async def end(tx: Tx, replay_id: UUID) -> None:
    await tx.execute(
        "DELETE FROM webhook_replays WHERE tenant_id = :tenant AND id = :replay_id", replay_id=replay_id
    )
