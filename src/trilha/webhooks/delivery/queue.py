"""The SQL of the queue: events become deliveries, deliveries are claimed, results are recorded.

Every statement names its tenant: `SKIP LOCKED` works on Citus only then.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, Tx
from trilha.core.types import to_json
from trilha.webhooks.rules import LOG_LENGTH
from trilha.webhooks.schema import ClaimedDelivery, DeliveryResult, DeliveryStatus


class NewEvent(Struct, frozen=True):
    """An event that has no deliveries yet."""

    id: UUID
    type: str
    created_at: str
    failed_endpoint_id: UUID | None  # of webhook.failed: that endpoint is not sent its own failures


class RecordedDelivery(Struct, frozen=True):
    """A delivery after its state was written. `http_status` is the last attempt's, set for dead letters."""

    id: UUID
    endpoint_id: UUID
    event_id: UUID
    event_type: str
    status: DeliveryStatus
    attempts: int
    http_status: int | None


class FailureCount(Struct, frozen=True):
    """What attempts change in an endpoint's count: failures in a row, after a success where there was one."""

    endpoint_id: UUID
    succeeded: bool
    failures: int


_DUE = """
    SELECT FROM webhook_deliveries d
    WHERE d.tenant_id = e.tenant_id AND d.endpoint_id = e.id AND d.status = 'PENDING'
      AND d.next_attempt_at <= :now AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
"""


async def due_tenants(database: Database) -> list[UUID]:
    """Active tenants with a delivery that is due and that nobody holds."""
    async with database.unscoped() as unscoped:
        rows = await unscoped.rows(
            f"""
            SELECT DISTINCT e.tenant_id FROM webhook_endpoints e JOIN tenants t ON t.id = e.tenant_id
            WHERE t.status = 'ACTIVE' AND e.deleted_at IS NULL
              AND ((e.active AND EXISTS ({_DUE} AND NOT d.forced)) OR EXISTS ({_DUE} AND d.forced))
            LIMIT 1000
            """  # noqa: S608
        )
    return [row["tenant_id"] for row in rows]


async def take_new_events(tx: Tx, limit: int) -> list[NewEvent]:
    """The oldest events that are not relayed yet; they are marked as relayed."""
    return await tx.list(
        NewEvent,
        """
        UPDATE events SET relayed = true
        WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM events WHERE tenant_id = :tenant AND NOT relayed
            ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)
        RETURNING id, type, created_at,
                  CASE WHEN type = 'webhook.failed' THEN (data ->> 'endpoint_id')::uuid END
                      AS failed_endpoint_id
        """,
        limit=limit,
    )


async def enqueue(tx: Tx, events: Sequence[NewEvent]) -> int:
    """One delivery for each endpoint that subscribes; how many."""
    return await tx.execute(
        """
        INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, next_attempt_at,
                                        created_at, updated_at)
        SELECT :tenant, endpoint.id, event.id, event.type, :now, :now, :now
        FROM webhook_endpoints AS endpoint
        JOIN unnest(:ids::uuid[], :types::text[], :ats::timestamptz[], :failed_endpoints::uuid[])
             AS event (id, type, at, failed_endpoint) ON event.type = ANY(endpoint.events)
        WHERE endpoint.tenant_id = :tenant AND endpoint.active AND endpoint.deleted_at IS NULL
          AND endpoint.created_at <= event.at AND event.failed_endpoint IS DISTINCT FROM endpoint.id
        ON CONFLICT (tenant_id, endpoint_id, event_id) DO NOTHING
        """,
        ids=[event.id for event in events],
        types=[event.type for event in events],
        ats=[event.created_at for event in events],
        failed_endpoints=[event.failed_endpoint_id for event in events],
    )


async def claim(
    tx: Tx, claim_id: UUID, until: datetime, *, limit: int, retry_limit: int, endpoint_limit: int
) -> list[ClaimedDelivery]:
    """Due deliveries that nobody holds, taken in turn from each endpoint; held until then by this claim.

    Of an endpoint only the first `endpoint_limit` that are due are looked at, held ones among them, so that
    no more are ever in flight. At most `retry_limit` are further attempts.
    """
    return await tx.list(
        ClaimedDelivery,
        """
        WITH due AS (
            SELECT delivery.id, delivery.cycle_attempts > 0 AS is_retry,
                   row_number() OVER (PARTITION BY endpoint.id ORDER BY forced DESC, next_attempt_at) AS turn
            FROM webhook_endpoints AS endpoint
            CROSS JOIN LATERAL (
                SELECT id, forced, cycle_attempts, next_attempt_at, claimed_until FROM webhook_deliveries
                WHERE tenant_id = :tenant AND endpoint_id = endpoint.id AND status = 'PENDING'
                  AND next_attempt_at <= :now
                ORDER BY forced DESC, next_attempt_at LIMIT :endpoint_limit) AS delivery
            WHERE endpoint.tenant_id = :tenant AND endpoint.deleted_at IS NULL
              AND (endpoint.active OR delivery.forced)
              AND (delivery.claimed_until IS NULL OR delivery.claimed_until <= :now)),
        chosen AS (
            SELECT id, turn FROM (
                SELECT id, turn, is_retry, row_number() OVER (PARTITION BY is_retry ORDER BY turn) AS place
                FROM due
            ) AS ranked
            WHERE NOT is_retry OR place <= :retry_limit
            ORDER BY turn LIMIT :limit),
        held AS (
            SELECT delivery.id FROM webhook_deliveries AS delivery JOIN chosen USING (id)
            WHERE delivery.tenant_id = :tenant AND status = 'PENDING' AND next_attempt_at <= :now
              AND (claimed_until IS NULL OR claimed_until <= :now)
            FOR UPDATE OF delivery SKIP LOCKED)
        UPDATE webhook_deliveries AS delivery SET claim_id = :claim_id, claimed_until = :until
        FROM held, webhook_endpoints AS endpoint, events AS event
        WHERE delivery.tenant_id = :tenant AND delivery.id = held.id
          AND endpoint.tenant_id = :tenant AND endpoint.id = delivery.endpoint_id
          AND event.tenant_id = :tenant AND event.id = delivery.event_id
        RETURNING delivery.id, delivery.claim_id, delivery.tenant_id, delivery.endpoint_id, endpoint.url,
                  ARRAY(SELECT secret FROM webhook_secrets
                        WHERE tenant_id = :tenant AND endpoint_id = endpoint.id
                          AND (expires_at IS NULL OR expires_at > :now)
                        ORDER BY number DESC) AS secrets,
                  event.id AS event_id, event.type AS event_type, event.created_at AS event_at, event.data,
                  delivery.attempts, delivery.cycle_attempts
        """,
        claim_id=claim_id,
        until=until,
        limit=limit,
        retry_limit=retry_limit,
        endpoint_limit=endpoint_limit,
    )


async def record(tx: Tx, results: Sequence[DeliveryResult]) -> list[RecordedDelivery]:
    """Writes attempts and the states after them. Without those whose claim was lost meanwhile."""
    return await tx.list(
        RecordedDelivery,
        f"""
        UPDATE webhook_deliveries AS delivery
        SET status = result.status, next_attempt_at = result.next_attempt_at,
            delivered_at = CASE WHEN result.status = 'DELIVERED' THEN result.at END,
            attempts = attempts + 1, cycle_attempts = cycle_attempts + 1, updated_at = :now,
            attempt_log = CASE WHEN attempts < {LOG_LENGTH} THEN attempt_log ELSE attempt_log - 0 END
                          || result.attempt::jsonb,
            claim_id = NULL, claimed_until = NULL
        FROM unnest(:ids::uuid[], :claims::uuid[], :statuses::text[], :nexts::timestamptz[],
                    :ats::timestamptz[], :attempts::text[])
             AS result (id, claim_id, status, next_attempt_at, at, attempt)
        WHERE delivery.tenant_id = :tenant AND delivery.id = result.id
          AND delivery.claim_id = result.claim_id
        RETURNING delivery.id, endpoint_id, event_id, event_type, delivery.status, attempts,
                  CASE WHEN delivery.status = 'DEAD_LETTER'
                       THEN (attempt_log -> -1 ->> 'http_status')::int END AS http_status
        """,  # noqa: S608
        ids=[each.delivery.id for each in results],
        claims=[each.delivery.claim_id for each in results],
        statuses=[each.status for each in results],
        nexts=[each.next_attempt_at for each in results],
        ats=[each.attempt.at for each in results],
        attempts=[to_json(each.attempt).decode() for each in results],
    )


async def count_failures(tx: Tx, counts: Sequence[FailureCount]) -> None:
    await tx.execute(
        """
        UPDATE webhook_endpoints AS endpoint
        SET failure_count = CASE WHEN counted.succeeded THEN 0 ELSE failure_count END + counted.failures
        FROM unnest(:ids::uuid[], :succeeded::boolean[], :failures::int[])
             AS counted (id, succeeded, failures)
        WHERE endpoint.tenant_id = :tenant AND endpoint.id = counted.id
          AND (counted.failures > 0 OR failure_count > 0)
        """,
        ids=[each.endpoint_id for each in counts],
        succeeded=[each.succeeded for each in counts],
        failures=[each.failures for each in counts],
    )


async def dead_letter_held(tx: Tx, before: datetime, limit: int) -> list[RecordedDelivery]:
    """Dead-letters what has been due since before then and waits for an endpoint that is inactive."""
    return await tx.list(
        RecordedDelivery,
        """
        UPDATE webhook_deliveries SET status = 'DEAD_LETTER', next_attempt_at = NULL, claim_id = NULL,
                                      claimed_until = NULL, updated_at = :now
        WHERE tenant_id = :tenant AND id IN (
            SELECT d.id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
            WHERE d.tenant_id = :tenant AND e.tenant_id = :tenant AND NOT e.active AND d.status = 'PENDING'
              AND NOT d.forced AND d.next_attempt_at < :before
              AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
            LIMIT :limit FOR UPDATE OF d SKIP LOCKED)
        RETURNING id, endpoint_id, event_id, event_type, status, attempts,
                  (attempt_log -> -1 ->> 'http_status')::int AS http_status
        """,
        before=before,
        limit=limit,
    )
