"""The SQL of the queue: events become deliveries, deliveries are claimed, outcomes are written down.

Every statement names its tenant: `SKIP LOCKED` works on Citus only so.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, Tx
from trilha.core.types import to_json
from trilha.webhooks.rules import LOG_LENGTH
from trilha.webhooks.schema import Attempt, Claim


class Relayed(Struct, frozen=True):
    id: UUID
    type: str
    created_at: str
    about: UUID | None  # the endpoint that the event tells of, which is not told itself


class Verdict(Struct, frozen=True, kw_only=True):
    """Where a claimed delivery goes after an attempt."""

    claim: Claim
    attempt: Attempt
    status: str
    next_attempt_at: datetime | None


class Settled(Struct, frozen=True):
    id: UUID
    endpoint_id: UUID
    event_id: UUID
    event_type: str
    status: str
    attempts: int


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


async def take_events(tx: Tx, most: int) -> list[Relayed]:
    """The oldest events that are not relayed, which from now on are."""
    return await tx.list(
        Relayed,
        """
        UPDATE events SET relayed = true
        WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM events WHERE tenant_id = :tenant AND NOT relayed
            ORDER BY created_at LIMIT :most FOR UPDATE SKIP LOCKED)
        RETURNING id, type, created_at,
                  CASE WHEN type = 'webhook.failed' THEN (data ->> 'endpoint_id')::uuid END AS about
        """,
        most=most,
    )


async def enqueue(tx: Tx, events: Sequence[Relayed]) -> int:
    """One delivery for each endpoint that subscribes; how many."""
    return await tx.execute(
        """
        INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, next_attempt_at,
                                        created_at, updated_at)
        SELECT :tenant, endpoint.id, event.id, event.type, :now, :now, :now
        FROM webhook_endpoints AS endpoint
        JOIN unnest(:ids::uuid[], :types::text[], :ats::timestamptz[], :abouts::uuid[])
             AS event (id, type, at, about) ON event.type = ANY(endpoint.events)
        WHERE endpoint.tenant_id = :tenant AND endpoint.active AND endpoint.deleted_at IS NULL
          AND endpoint.created_at <= event.at AND event.about IS DISTINCT FROM endpoint.id
        ON CONFLICT (tenant_id, endpoint_id, event_id) DO NOTHING
        """,
        ids=[event.id for event in events],
        types=[event.type for event in events],
        ats=[event.created_at for event in events],
        abouts=[event.about for event in events],
    )


async def claim(
    tx: Tx, claim_id: UUID, until: datetime, *, most: int, most_again: int, most_each: int
) -> list[Claim]:
    """Due deliveries that nobody holds, taken in turn from each endpoint.

    Of an endpoint only the first `most_each` that are due are looked at, held ones among them, so that no
    more are ever in flight. At most `most_again` are further attempts.
    """
    return await tx.list(
        Claim,
        """
        WITH due AS (
            SELECT delivery.id, delivery.cycle_attempts > 0 AS again,
                   row_number() OVER (PARTITION BY endpoint.id ORDER BY forced DESC, next_attempt_at) AS turn
            FROM webhook_endpoints AS endpoint
            CROSS JOIN LATERAL (
                SELECT id, forced, cycle_attempts, next_attempt_at, claimed_until FROM webhook_deliveries
                WHERE tenant_id = :tenant AND endpoint_id = endpoint.id AND status = 'PENDING'
                  AND next_attempt_at <= :now
                ORDER BY forced DESC, next_attempt_at LIMIT :most_each) AS delivery
            WHERE endpoint.tenant_id = :tenant AND endpoint.deleted_at IS NULL
              AND (endpoint.active OR delivery.forced)
              AND (delivery.claimed_until IS NULL OR delivery.claimed_until <= :now)),
        chosen AS (
            SELECT id, turn FROM (
                SELECT id, turn, again, row_number() OVER (PARTITION BY again ORDER BY turn) AS place FROM due
            ) AS ranked
            WHERE NOT again OR place <= :most_again
            ORDER BY turn LIMIT :most),
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
                  endpoint.secret,
                  CASE WHEN endpoint.previous_expires_at > :now THEN endpoint.previous_secret END
                      AS previous_secret,
                  event.id AS event_id, event.type AS event_type, event.created_at AS event_at, event.data,
                  delivery.attempts, delivery.cycle_attempts
        """,
        claim_id=claim_id,
        until=until,
        most=most,
        most_again=most_again,
        most_each=most_each,
    )


async def settle(tx: Tx, verdicts: Sequence[Verdict]) -> list[Settled]:
    """Writes down what came of attempts. One whose claim was lost meanwhile is not among those returned."""
    return await tx.list(
        Settled,
        f"""
        UPDATE webhook_deliveries AS d
        SET status = v.status, next_attempt_at = v.next_attempt_at,
            delivered_at = CASE WHEN v.status = 'DELIVERED' THEN v.at END,
            attempts = attempts + 1, cycle_attempts = cycle_attempts + 1, updated_at = :now,
            attempt_log = CASE WHEN attempts < {LOG_LENGTH} THEN attempt_log ELSE attempt_log - 0 END
                          || v.attempt::jsonb,
            claim_id = NULL, claimed_until = NULL
        FROM unnest(:ids::uuid[], :claims::uuid[], :statuses::text[], :nexts::timestamptz[],
                    :ats::timestamptz[], :attempts::text[])
             AS v (id, claim_id, status, next_attempt_at, at, attempt)
        WHERE d.tenant_id = :tenant AND d.id = v.id AND d.claim_id = v.claim_id
        RETURNING d.id, d.endpoint_id, d.event_id, d.event_type, d.status, d.attempts
        """,  # noqa: S608
        ids=[each.claim.id for each in verdicts],
        claims=[each.claim.claim_id for each in verdicts],
        statuses=[each.status for each in verdicts],
        nexts=[each.next_attempt_at for each in verdicts],
        ats=[each.attempt.at for each in verdicts],
        attempts=[to_json(each.attempt).decode() for each in verdicts],
    )


async def count_failures(tx: Tx, tails: Sequence[tuple[UUID, bool, int]]) -> None:
    """For each endpoint: whether a success came, and how many failures came after the last one."""
    await tx.execute(
        """
        UPDATE webhook_endpoints AS e
        SET failure_count = CASE WHEN t.reset THEN 0 ELSE failure_count END + t.failures
        FROM unnest(:ids::uuid[], :resets::boolean[], :failures::int[]) AS t (id, reset, failures)
        WHERE e.tenant_id = :tenant AND e.id = t.id AND (t.failures > 0 OR failure_count > 0)
        """,
        ids=[id for id, _, _ in tails],
        resets=[reset for _, reset, _ in tails],
        failures=[failures for _, _, failures in tails],
    )
