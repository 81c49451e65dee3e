"""SQL of replays, which enqueue past events for one endpoint in batches."""

from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.platform.events.lists import sequence_at
from trilha.platform.events.schema import types_of
from trilha.platform.webhooks.delivery import queue


class RunningReplay(Struct, frozen=True):
    """A replay that is not finished. The next batch begins after the event of `after_sequence` and
    `after_id`.
    """

    id: UUID
    endpoint_id: UUID
    event_types: list[str]
    since: str
    until: str
    after_sequence: int | None
    after_id: UUID | None
    endpoint_deleted: bool


class PastEvent(Struct, frozen=True):
    id: UUID
    type: str
    sequence: int


async def lock_oldest(tx: Tx) -> RunningReplay | None:
    """Locks and returns the oldest replay, or None. Other workers skip locked replays."""
    return await tx.find(
        RunningReplay,
        """
        SELECT r.id, r.endpoint_id, COALESCE(r.event_types, e.events) AS event_types, r.since, r.until,
               r.after_sequence, r.after_id, e.deleted_at IS NOT NULL AS endpoint_deleted
        FROM webhook_replays r JOIN webhook_endpoints e ON e.id = r.endpoint_id
        WHERE r.tenant_id = :tenant AND e.tenant_id = :tenant AND r.finished_at IS NULL
        ORDER BY r.created_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED
        """,
    )


async def list_next_events(tx: Tx, replay: RunningReplay, limit: int) -> list[PastEvent]:
    """Lists the next events in order, without test events and without this endpoint's own failures."""
    return await tx.list(
        PastEvent,
        f"""
        SELECT id, type, sequence FROM events
        WHERE tenant_id = :tenant AND type = ANY(:event_types) AND created_at >= :since
          AND created_at < :until AND type <> 'webhook.test'
          AND NOT (type = 'webhook.failed' AND (data ->> 'endpoint_id')::uuid = :endpoint_id)
          AND (sequence, id) > (COALESCE(CAST(:after_sequence AS bigint), {sequence_at(":since")}),
                                COALESCE(:after_id, '00000000-0000-0000-0000-000000000000'::uuid))
        ORDER BY sequence, id LIMIT :limit
        """,  # noqa: S608
        event_types=types_of(replay.event_types),
        since=replay.since,
        until=replay.until,
        endpoint_id=replay.endpoint_id,
        after_sequence=replay.after_sequence,
        after_id=replay.after_id,
        limit=limit,
    )


async def enqueue(tx: Tx, endpoint_id: UUID, events: list[PastEvent]) -> None:
    """Creates a delivery for each event. A finished delivery starts a new cycle of attempts."""
    await tx.execute(
        """
        INSERT INTO webhook_deliveries AS d (tenant_id, endpoint_id, event_id, event_type, event_sequence,
                                             next_attempt_at, created_at, updated_at)
        SELECT :tenant, :endpoint_id::uuid, event.id, event.type, event.sequence, CAST(:now AS timestamptz),
               CAST(:now AS timestamptz), CAST(:now AS timestamptz)
        FROM unnest(:ids::uuid[], :event_types::text[], :sequences::bigint[]) AS event (id, type, sequence)
        ON CONFLICT (tenant_id, event_id, endpoint_id) DO UPDATE
        SET status = 'PENDING', cycle_attempts = 0, next_attempt_at = excluded.created_at,
            delivered_at = NULL, claim_id = NULL, claimed_until = NULL, updated_at = excluded.created_at,
            event_sequence = excluded.event_sequence
        WHERE d.status <> 'PENDING'
        """,
        endpoint_id=endpoint_id,
        ids=[event.id for event in events],
        event_types=[event.type for event in events],
        sequences=[event.sequence for event in events],
    )
    await queue.set_due(tx, [endpoint_id])


async def advance(tx: Tx, replay_id: UUID, events: list[PastEvent]) -> None:
    """Moves a replay past these events."""
    await tx.execute(
        """
        UPDATE webhook_replays
        SET after_sequence = :after_sequence, after_id = :after_id, enqueued = enqueued + :count
        WHERE tenant_id = :tenant AND id = :replay_id
        """,
        replay_id=replay_id,
        after_sequence=events[-1].sequence,
        after_id=events[-1].id,
        count=len(events),
    )


async def finish(tx: Tx, replay_id: UUID) -> None:
    await tx.execute(
        "UPDATE webhook_replays SET finished_at = :now WHERE tenant_id = :tenant AND id = :replay_id",
        replay_id=replay_id,
    )
