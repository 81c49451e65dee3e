"""SQL that records results: deliveries' statuses and endpoints' failure counts."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.platform.webhooks.rules import LOG_LENGTH
from trilha.platform.webhooks.schema import DeliveryResult, DeliveryStatus


class RecordedDelivery(Struct, frozen=True):
    """A delivery after its status was recorded. `http_status` is that of the last attempt, and is set only
    for dead letters.
    """

    id: UUID
    endpoint_id: UUID
    event_id: UUID
    event_type: str
    status: DeliveryStatus
    attempts: int
    http_status: int | None


class FailureCount(Struct, frozen=True):
    """A change of an endpoint's failure count: further consecutive failures, after a reset if there was a
    success.
    """

    endpoint_id: UUID
    succeeded: bool
    failures: int


async def record(tx: Tx, results: Sequence[DeliveryResult]) -> list[RecordedDelivery]:
    """Records attempts and the resulting statuses. Omits deliveries whose claim was lost."""
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
        FROM unnest(:ids::uuid[], :claims::uuid[], :untils::timestamptz[], :statuses::text[],
                    :nexts::timestamptz[], :ats::timestamptz[], :attempts::text[])
             AS result (id, claim_id, claimed_until, status, next_attempt_at, at, attempt)
        WHERE delivery.tenant_id = :tenant AND delivery.id = result.id
          AND delivery.claim_id = result.claim_id AND delivery.claimed_until = result.claimed_until
        RETURNING delivery.id, endpoint_id, event_id, event_type, delivery.status, attempts,
                  CASE WHEN delivery.status = 'DEAD_LETTER'
                       THEN (attempt_log -> -1 ->> 'http_status')::int END AS http_status
        """,  # noqa: S608
        ids=[each.delivery.id for each in results],
        claims=[each.delivery.claim_id for each in results],
        untils=[each.delivery.claimed_until for each in results],
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
    """Dead-letters deliveries that have been due since before `before` and wait for an inactive endpoint."""
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
