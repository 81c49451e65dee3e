"""The SQL of the queue: deliveries are found and claimed, results are recorded.

Every statement names its tenant: `SKIP LOCKED` works on Citus only then.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, Tx, structs_of
from trilha.core.types import to_json
from trilha.webhooks.rules import LOG_LENGTH
from trilha.webhooks.schema import ClaimedDelivery, DeliveryResult, DeliveryStatus


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


class DueEndpoint(Struct, frozen=True):
    """An endpoint of an active tenant that has something due, and that no other worker holds."""

    tenant_id: UUID
    endpoint_id: UUID


class Wanted(Struct, frozen=True):
    """How many deliveries a worker takes of an endpoint, and whether it holds some of it already."""

    endpoint_id: UUID
    count: int
    holds: bool


class EndpointState(Struct, frozen=True):
    """An endpoint after a claim: whether it has more that is due, and its failures in a row."""

    queue_id: UUID
    has_more: bool
    failures: int


class Claim(Struct, frozen=True):
    """What was claimed, and the state of each endpoint that was asked and that no other worker holds."""

    deliveries: list[ClaimedDelivery]
    states: dict[UUID, EndpointState]


class Due(Struct, frozen=True):
    """The endpoints to claim from, the one that waits for longest first; and tenants not to be served."""

    endpoints: list[DueEndpoint]
    suspended: set[UUID]


async def find_due(
    database: Database, worker: UUID, full: Collection[UUID], serving: Collection[UUID], limit: int = 1000
) -> Due:
    """Without endpoints of tenants that are `full`. Of those that it is `serving`, which are suspended."""
    async with database.unscoped() as unscoped:
        endpoints = await unscoped.list(
            DueEndpoint, _FIND_DUE, worker=worker, full=list(full), limit=limit + len(serving)
        )
        suspended = await unscoped.rows(
            "SELECT id FROM tenants WHERE id = ANY(:tenants::uuid[]) AND status <> 'ACTIVE'",
            tenants=list(serving),
        )
    return Due(endpoints, {row["id"] for row in suspended})


_FIND_DUE = """
    SELECT q.tenant_id, q.endpoint_id FROM webhook_queues q
    WHERE q.due_at <= :now AND (q.held_until IS NULL OR q.held_until <= :now OR q.holder = :worker)
      AND q.tenant_id <> ALL(:full::uuid[])
      -- No join: a planner that knows nothing would read both tables before it sorts.
      AND (SELECT t.status FROM tenants t WHERE t.id = q.tenant_id) = 'ACTIVE'
    ORDER BY q.due_at LIMIT :limit
"""


async def set_due(tx: Tx, endpoint_ids: Sequence[UUID]) -> None:
    """Something of these endpoints is due now. Who makes a delivery due calls this in the same transaction.

    The rows are locked even where they say so already: a claim that cannot see the delivery yet must come
    before, not in between.
    """
    await tx.execute(
        f"WITH {_LOCKED} UPDATE webhook_queues AS q SET due_at = LEAST(q.due_at, :now) {_OF_LOCKED}",  # noqa: S608
        endpoints=endpoint_ids,
    )


async def set_relayed(tx: Tx, endpoint_ids: Sequence[UUID]) -> None:
    """As `set_due`, for first attempts of new events. Those before them are due before them.

    Where the clock was set back since, what it enqueued when it was ahead would wait until it is there again.
    """
    rows = await tx.rows(
        """
        WITH locked AS (SELECT endpoint_id, relayed_at FROM webhook_queues
                        WHERE tenant_id = :tenant AND endpoint_id = ANY(:endpoints::uuid[])
                        ORDER BY endpoint_id FOR NO KEY UPDATE)
        UPDATE webhook_queues AS q SET due_at = LEAST(q.due_at, :now), relayed_at = :now
        FROM locked WHERE q.tenant_id = :tenant AND q.endpoint_id = locked.endpoint_id
        RETURNING q.endpoint_id, locked.relayed_at > q.relayed_at AS was_ahead
        """,
        endpoints=endpoint_ids,
    )
    if ahead := [row["endpoint_id"] for row in rows if row["was_ahead"]]:
        await tx.execute(
            """
            UPDATE webhook_deliveries SET next_attempt_at = :now
            WHERE tenant_id = :tenant AND endpoint_id = ANY(:endpoints::uuid[]) AND status = 'PENDING'
              AND NOT forced AND cycle_attempts = 0 AND next_attempt_at > :now
            """,
            endpoints=ahead,
        )


# In one order, so that two transactions that lock several wait instead of deadlocking.
_LOCKED = """
    locked AS (SELECT endpoint_id FROM webhook_queues
               WHERE tenant_id = :tenant AND endpoint_id = ANY(:endpoints::uuid[])
               ORDER BY endpoint_id FOR NO KEY UPDATE)
"""
_OF_LOCKED = "FROM locked WHERE q.tenant_id = :tenant AND q.endpoint_id = locked.endpoint_id"


async def claim(
    tx: Tx,
    worker: UUID,
    until: datetime,
    wanted: Sequence[Wanted],
    *,
    limit: int,
    retry_limit: int,
    in_flight_limits: Sequence[int],
) -> Claim:
    """Due deliveries, the endpoints in the order given; they and their endpoints are the worker's until then.

    At most `limit`, of which `retry_limit` are further attempts. An endpoint that has failed so many times in
    a row gives no more at once than `in_flight_limits` has at that place, or at its end.
    """
    locked = await tx.rows(
        """
        SELECT endpoint_id FROM webhook_queues
        WHERE tenant_id = :tenant AND endpoint_id = ANY(:endpoints::uuid[])
          AND (held_until IS NULL OR held_until <= :now OR holder = :worker)
        FOR NO KEY UPDATE SKIP LOCKED
        """,
        endpoints=[each.endpoint_id for each in wanted],
        worker=worker,
    )
    ours = {row["endpoint_id"] for row in locked}
    asked = [each for each in wanted if each.endpoint_id in ours]
    if not asked:
        return Claim([], {})
    # A statement of its own: it sees whatever was made due before the locks were taken.
    rows = await tx.rows(
        _CLAIM,
        worker=worker,
        until=until,
        endpoints=[each.endpoint_id for each in asked],
        counts=[each.count for each in asked],
        holds=[each.holds for each in asked],
        limit=limit,
        retry_limit=retry_limit,
        in_flight_limits=in_flight_limits,
    )
    claimed = [row for row in rows if row["id"] is not None]
    states = {each.queue_id: each for each in structs_of(EndpointState, rows)}
    return Claim(structs_of(ClaimedDelivery, claimed), states)


_CLAIM = """
    WITH endpoint AS (
        SELECT asked.id, asked.place, asked.holds, e.url, COALESCE(e.active, false) AS active,
               COALESCE(e.failure_count, 0) AS failures,
               CASE WHEN e.failure_count = 0 THEN asked.count
                    ELSE LEAST(asked.count, (:in_flight_limits::int[])[
                        LEAST(e.failure_count + 1, cardinality(:in_flight_limits::int[]))])
               END AS count
        FROM unnest(:endpoints::uuid[], :counts::int[], :holds::boolean[]) WITH ORDINALITY
             AS asked (id, count, holds, place)
        LEFT JOIN webhook_endpoints AS e
            ON e.tenant_id = :tenant AND e.id = asked.id AND e.deleted_at IS NULL),
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
                  delivery.attempts, delivery.cycle_attempts, held.place, held.turn),
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


async def find_held(database: Database, worker: UUID) -> dict[UUID, list[UUID]]:
    """The endpoints that are this worker's, by tenant."""
    async with database.unscoped() as unscoped:
        rows = await unscoped.rows(
            "SELECT tenant_id, endpoint_id FROM webhook_queues WHERE holder = :worker", worker=worker
        )
    held: dict[UUID, list[UUID]] = {}
    for row in rows:
        held.setdefault(row["tenant_id"], []).append(row["endpoint_id"])
    return held


async def give_back(tx: Tx, worker: UUID, ids: Sequence[UUID], endpoint_ids: Sequence[UUID]) -> None:
    """Deliveries that the worker holds and does not send, and endpoints that it leaves to others."""
    await tx.execute(
        """
        UPDATE webhook_deliveries SET claim_id = NULL, claimed_until = NULL
        WHERE tenant_id = :tenant AND id = ANY(:ids::uuid[]) AND claim_id = :worker
        """,
        worker=worker,
        ids=ids,
    )
    await tx.execute(
        f"""
        WITH {_LOCKED}
        UPDATE webhook_queues AS q SET due_at = LEAST(q.due_at, :now), holder = NULL, held_until = NULL
        {_OF_LOCKED} AND q.holder = :worker
        """,  # noqa: S608
        worker=worker,
        endpoints=endpoint_ids,
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


async def set_next(tx: Tx, worker: UUID, retries: Mapping[UUID, datetime], released: Sequence[UUID]) -> None:
    """When endpoints have a further attempt due, and which of them the worker holds no more."""
    await tx.execute(
        f"""
        WITH {_LOCKED}
        UPDATE webhook_queues AS q
        SET due_at = LEAST(q.due_at, (SELECT min(retry.at)
                                      FROM unnest(:retried::uuid[], :ats::timestamptz[]) AS retry (id, at)
                                      WHERE retry.id = q.endpoint_id)),
            holder = CASE WHEN q.holder <> :worker OR q.endpoint_id <> ALL(:released::uuid[])
                          THEN q.holder END,
            held_until = CASE WHEN q.holder <> :worker OR q.endpoint_id <> ALL(:released::uuid[])
                              THEN q.held_until END
        {_OF_LOCKED}
        """,  # noqa: S608
        worker=worker,
        endpoints=list({*retries, *released}),
        retried=list(retries),
        ats=list(retries.values()),
        released=released,
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
