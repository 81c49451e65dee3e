"""The SQL of what ends by its age: deliveries nobody waits for, the history, events."""

from datetime import datetime

from trilha.core.database import Tx
from trilha.webhooks.delivery.queue import Settled


async def dead_letter_held(tx: Tx, before: datetime, most: int) -> list[Settled]:
    """Gives up what an inactive endpoint has kept waiting since before then."""
    return await tx.list(
        Settled,
        """
        UPDATE webhook_deliveries SET status = 'DEAD_LETTER', next_attempt_at = NULL, claim_id = NULL,
                                      claimed_until = NULL, updated_at = :now
        WHERE tenant_id = :tenant AND id IN (
            SELECT d.id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
            WHERE d.tenant_id = :tenant AND e.tenant_id = :tenant AND NOT e.active AND d.status = 'PENDING'
              AND NOT d.forced AND d.next_attempt_at < :before
              AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
            LIMIT :most FOR UPDATE OF d SKIP LOCKED)
        RETURNING id, endpoint_id, event_id, event_type, status, attempts
        """,
        before=before,
        most=most,
    )


async def prune_deliveries(tx: Tx, before: datetime, most: int) -> int:
    """Drops finished deliveries made before then, and all of deleted endpoints."""
    return await tx.execute(
        """
        DELETE FROM webhook_deliveries WHERE tenant_id = :tenant AND id IN (
            (SELECT d.id FROM webhook_endpoints e CROSS JOIN LATERAL (
                 SELECT id FROM webhook_deliveries
                 WHERE tenant_id = :tenant AND endpoint_id = e.id AND created_at < :before
                   AND status <> 'PENDING'
                 ORDER BY created_at LIMIT :most) AS d
             WHERE e.tenant_id = :tenant LIMIT :most)
            UNION ALL
            (SELECT d.id FROM webhook_endpoints e JOIN webhook_deliveries d ON d.endpoint_id = e.id
             WHERE e.tenant_id = :tenant AND d.tenant_id = :tenant AND e.deleted_at IS NOT NULL
               AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
             LIMIT :most))
        """,
        before=before,
        most=most,
    )


async def prune_endpoints(tx: Tx) -> int:
    """Drops deleted endpoints whose history is gone."""
    return await tx.execute(
        """
        DELETE FROM webhook_endpoints e WHERE tenant_id = :tenant AND deleted_at IS NOT NULL
          AND NOT EXISTS (
              SELECT FROM webhook_deliveries d WHERE d.tenant_id = :tenant AND d.endpoint_id = e.id)
          AND NOT EXISTS (
              SELECT FROM webhook_replays r WHERE r.tenant_id = :tenant AND r.endpoint_id = e.id)
        """
    )


async def prune_events(tx: Tx, before: datetime, most: int) -> int:
    """Drops relayed events from before then, but for those still to be sent."""
    return await tx.execute(
        """
        DELETE FROM events WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM events v
            WHERE tenant_id = :tenant AND created_at < :before AND relayed
              AND NOT EXISTS (SELECT FROM webhook_deliveries d
                              WHERE d.tenant_id = :tenant AND d.event_id = v.id AND d.status = 'PENDING')
            ORDER BY created_at LIMIT :most)
        """,
        before=before,
        most=most,
    )
