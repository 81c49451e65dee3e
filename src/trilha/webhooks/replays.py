"""The SQL of replays: past events of a span of time are enqueued for one endpoint, batch by batch."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.webhooks.delivery import queue


class RunningReplay(Struct, frozen=True):
    """A replay that is not finished. It goes on after the event that `after_at` and `after_id` name."""

    id: UUID
    endpoint_id: UUID
    event_types: list[str]
    since: str
    until: str
    after_at: str | None
    after_id: UUID | None
    endpoint_deleted: bool


class PastEvent(Struct, frozen=True):
    id: UUID
    type: str
    created_at: str


async def lock_oldest(tx: Tx) -> RunningReplay | None:
    """The replay that was asked for first, locked until this transaction ends; others skip it."""
    return await tx.find(
        RunningReplay,
        """
        SELECT r.id, r.endpoint_id, COALESCE(r.event_types, e.events) AS event_types, r.since, r.until,
               r.after_at, r.after_id, e.deleted_at IS NOT NULL AS endpoint_deleted
        FROM webhook_replays r JOIN webhook_endpoints e ON e.id = r.endpoint_id
        WHERE r.tenant_id = :tenant AND e.tenant_id = :tenant
        ORDER BY r.created_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED
        """,
    )


async def list_next_events(tx: Tx, replay: RunningReplay, limit: int) -> list[PastEvent]:
    """In order of creation. Without tests of an endpoint, and without this endpoint's own failures."""
    return await tx.list(
        PastEvent,
        """
        SELECT id, type, created_at FROM events
        WHERE tenant_id = :tenant AND type = ANY(:event_types) AND created_at >= :since
          AND created_at < :until AND type <> 'webhook.test'
          AND NOT (type = 'webhook.failed' AND (data ->> 'endpoint_id')::uuid = :endpoint_id)
          AND (created_at, id) > (COALESCE(:after_at, '-infinity'::timestamptz),
                                  COALESCE(:after_id, '00000000-0000-0000-0000-000000000000'::uuid))
        ORDER BY created_at, id LIMIT :limit
        """,
        event_types=replay.event_types,
        since=replay.since,
        until=replay.until,
        endpoint_id=replay.endpoint_id,
        after_at=replay.after_at,
        after_id=replay.after_id,
        limit=limit,
    )


async def enqueue(tx: Tx, endpoint_id: UUID, events: list[PastEvent]) -> None:
    """A delivery for each event; one that is finished starts a new cycle of attempts."""
    await tx.execute(
        """
        INSERT INTO webhook_deliveries AS d (tenant_id, endpoint_id, event_id, event_type, next_attempt_at,
                                             created_at, updated_at)
        SELECT :tenant, :endpoint_id, event.id, event.type, :now, :now, :now
        FROM unnest(:ids::uuid[], :event_types::text[]) AS event (id, type)
        ON CONFLICT (tenant_id, event_id, endpoint_id) DO UPDATE
        SET status = 'PENDING', cycle_attempts = 0, next_attempt_at = :now, delivered_at = NULL,
            claim_id = NULL, claimed_until = NULL, updated_at = :now
        WHERE d.status <> 'PENDING'
        """,
        endpoint_id=endpoint_id,
        ids=[event.id for event in events],
        event_types=[event.type for event in events],
    )
    await queue.set_due(tx, [endpoint_id])


async def save_position(tx: Tx, replay_id: UUID, last: PastEvent) -> None:
    await tx.execute(
        """
        UPDATE webhook_replays SET after_at = :after_at, after_id = :after_id
        WHERE tenant_id = :tenant AND id = :replay_id
        """,
        replay_id=replay_id,
        after_at=last.created_at,
        after_id=last.id,
    )


async def delete(tx: Tx, replay_id: UUID) -> None:
    await tx.execute(
        "DELETE FROM webhook_replays WHERE tenant_id = :tenant AND id = :replay_id", replay_id=replay_id
    )
