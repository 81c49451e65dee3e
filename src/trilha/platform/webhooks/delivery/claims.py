"""SQL of a claim: a worker claims due deliveries together with their endpoints.

Every statement names its tenant, because `SKIP LOCKED` requires that on Citus.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, structs_of
from trilha.platform.webhooks.schema import ClaimedDelivery


class ClaimRequest(Struct, frozen=True):
    """How many deliveries of an endpoint to claim, and whether the worker already holds some."""

    endpoint_id: UUID
    count: int
    holds: bool


class EndpointState(Struct, frozen=True):
    """An endpoint after a claim: whether more deliveries are due, and its consecutive failures."""

    queue_id: UUID
    has_more: bool
    failures: int


class Claim(Struct, frozen=True):
    """The claimed deliveries, and the states of those requested endpoints that no other worker holds."""

    deliveries: list[ClaimedDelivery]
    states: dict[UUID, EndpointState]


async def claim(
    tx: Tx,
    worker: UUID,
    until: datetime,
    requests: Sequence[ClaimRequest],
    *,
    limit: int,
    retry_limit: int,
    in_flight_limits: Sequence[int],
) -> Claim:
    """Claims due deliveries until `until`, with their endpoints, in the order of the requests.

    Claims at most `limit` deliveries, of which at most `retry_limit` are retries. `in_flight_limits` is
    indexed by an endpoint's consecutive failures; the last value applies to all higher counts.
    """
    locked = await tx.rows(
        """
        SELECT endpoint_id FROM webhook_queues
        WHERE tenant_id = :tenant AND endpoint_id = ANY(:endpoints::uuid[])
          AND (held_until IS NULL OR held_until <= :now OR holder = :worker)
        FOR NO KEY UPDATE SKIP LOCKED
        """,
        endpoints=[each.endpoint_id for each in requests],
        worker=worker,
    )
    ours = {row["endpoint_id"] for row in locked}
    candidates = [each for each in requests if each.endpoint_id in ours]
    if not candidates:
        return Claim([], {})
    # This is a separate statement, so that it sees deliveries that became due before the locks were taken.
    rows = await tx.rows(
        _CLAIM,
        worker=worker,
        until=until,
        endpoints=[each.endpoint_id for each in candidates],
        counts=[each.count for each in candidates],
        holds=[each.holds for each in candidates],
        limit=limit,
        retry_limit=retry_limit,
        in_flight_limits=in_flight_limits,
    )
    claimed = [row for row in rows if row["id"] is not None]
    states = {each.queue_id: each for each in structs_of(EndpointState, rows)}
    return Claim(structs_of(ClaimedDelivery, claimed), states)


_CLAIM = """
    WITH endpoint AS (
        SELECT candidates.id, candidates.place, candidates.holds, e.url, COALESCE(e.active, false) AS active,
               COALESCE(e.failure_count, 0) AS failures,
               CASE WHEN e.failure_count = 0 THEN candidates.count
                    ELSE LEAST(candidates.count, (:in_flight_limits::int[])[
                        LEAST(e.failure_count + 1, cardinality(:in_flight_limits::int[]))])
               END AS count
        FROM unnest(:endpoints::uuid[], :counts::int[], :holds::boolean[]) WITH ORDINALITY
             AS candidates (id, count, holds, place)
        LEFT JOIN webhook_endpoints AS e
            ON e.tenant_id = :tenant AND e.id = candidates.id AND e.deleted_at IS NULL),
    due AS (
        SELECT endpoint.id AS endpoint_id, endpoint.count, place, delivery.*,
               row_number() OVER (PARTITION BY endpoint.id
                                  ORDER BY forced DESC, next_attempt_at, event_sequence,
                                           delivery.id) AS turn
        FROM endpoint CROSS JOIN LATERAL (
            SELECT d.id, d.forced, d.next_attempt_at, d.event_sequence, d.cycle_attempts > 0 AS is_retry
            FROM webhook_deliveries AS d
            WHERE d.tenant_id = :tenant AND d.endpoint_id = endpoint.id AND d.status = 'PENDING'
              AND d.forced >= NOT endpoint.active AND d.next_attempt_at <= :now
              AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
            ORDER BY d.forced DESC, d.next_attempt_at, d.event_sequence, d.id
            LIMIT endpoint.count + 1) AS delivery
        WHERE endpoint.url IS NOT NULL),
    chosen AS (
        SELECT id, place, turn FROM (
            SELECT id, place, turn, is_retry,
                   count(*) FILTER (WHERE is_retry) OVER (ORDER BY place, turn) AS retries
            FROM due WHERE turn <= count) AS ranked
        WHERE NOT is_retry OR retries <= :retry_limit
        ORDER BY place, turn LIMIT :limit),
    held AS (
        SELECT chosen.* FROM chosen CROSS JOIN LATERAL (
            SELECT FROM webhook_deliveries AS d
            WHERE d.tenant_id = :tenant AND d.id = chosen.id AND d.status = 'PENDING'
              AND d.next_attempt_at <= :now AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
            FOR UPDATE SKIP LOCKED) AS locked),
    claimed AS (
        UPDATE webhook_deliveries AS delivery SET claim_id = :worker, claimed_until = :until
        FROM held, endpoint, events AS event
        WHERE delivery.tenant_id = :tenant AND delivery.id = held.id AND endpoint.id = delivery.endpoint_id
          AND event.tenant_id = :tenant AND event.id = delivery.event_id
        RETURNING delivery.id, delivery.claim_id, delivery.claimed_until, delivery.tenant_id,
                  delivery.endpoint_id, endpoint.url,
                  ARRAY(SELECT secret FROM webhook_secrets
                        WHERE tenant_id = :tenant AND endpoint_id = endpoint.id
                          AND (expires_at IS NULL OR expires_at > :now)
                        ORDER BY number DESC) AS secrets,
                  event.id AS event_id, event.type AS event_type, event.created_at AS event_at, event.data,
                  event.request_id, event.traceparent, delivery.attempts, delivery.cycle_attempts,
                  held.place, held.turn),
    outcome AS (
        SELECT endpoint.*,
               (SELECT count(*) FROM claimed WHERE endpoint_id = endpoint.id) AS taken,
               (SELECT count(*) FROM due WHERE endpoint_id = endpoint.id) AS seen
        FROM endpoint),
    queue AS (
        UPDATE webhook_queues AS q
        -- The worker asks again by itself for what is left, so nobody has to look before its lease is over.
        SET due_at = CASE WHEN seen = taken THEN LEAST(later.at, CASE WHEN taken > 0 OR holds THEN :until END)
                          WHEN taken > 0 OR holds THEN :until
                          ELSE LEAST(q.due_at, :now) END,
            holder = CASE WHEN taken > 0 OR (holds AND holder = :worker) THEN CAST(:worker AS uuid) END,
            held_until = CASE WHEN taken > 0 THEN :until WHEN holds AND holder = :worker THEN held_until END
        FROM outcome CROSS JOIN LATERAL (
            SELECT LEAST(
                (SELECT next_attempt_at FROM webhook_deliveries
                 WHERE tenant_id = :tenant AND endpoint_id = outcome.id AND status = 'PENDING'
                   AND forced AND outcome.url IS NOT NULL AND next_attempt_at > :now
                 ORDER BY next_attempt_at LIMIT 1),
                (SELECT next_attempt_at FROM webhook_deliveries
                 WHERE tenant_id = :tenant AND endpoint_id = outcome.id AND status = 'PENDING'
                   AND NOT forced AND outcome.active AND next_attempt_at > :now
                 ORDER BY next_attempt_at LIMIT 1)) AS at) AS later
        WHERE q.tenant_id = :tenant AND q.endpoint_id = outcome.id
        RETURNING q.endpoint_id AS queue_id, seen > taken AS has_more, failures)
    SELECT queue.*, claimed.*
    FROM queue LEFT JOIN claimed ON claimed.endpoint_id = queue.queue_id
    ORDER BY claimed.place, claimed.turn
"""
