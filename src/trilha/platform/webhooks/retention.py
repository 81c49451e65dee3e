"""SQL that deletes old deliveries, deleted endpoints and old events."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from trilha.core.database import Tx
from trilha.platform.retention.logs import ArchivedLog

# Without the attempts: responses of receivers could hold anything.
DELIVERIES = ArchivedLog(
    name="deliveries",
    at="created_at",
    columns={
        "id": "text",
        "created_at": "moment",
        "endpoint_id": "text",
        "event_id": "text",
        "event_type": "text",
        "status": "text",
        "attempts": "integer",
        "delivered_at": "moment",
    },
)
EVENTS = ArchivedLog(
    name="events",
    at="created_at",
    columns={
        "id": "text",
        "created_at": "moment",
        "type": "text",
        "data": "json",
        "sequence": "integer",
        "request_id": "text",
    },
)


async def prune_deliveries(tx: Tx, before: datetime, limit: int) -> Sequence[Any]:
    """Deletes finished deliveries created before `before`, and all deliveries of deleted endpoints."""
    return await tx.rows(
        f"""
        DELETE FROM webhook_deliveries WHERE tenant_id = :tenant AND id IN (
            (SELECT d.id FROM webhook_endpoints e CROSS JOIN LATERAL (
                 SELECT id FROM webhook_deliveries
                 WHERE tenant_id = :tenant AND endpoint_id = e.id AND created_at < :before
                   AND status <> 'PENDING'
                 ORDER BY created_at LIMIT :limit) AS d
             WHERE e.tenant_id = :tenant LIMIT :limit)
            UNION ALL
            (SELECT d.id FROM webhook_endpoints e JOIN webhook_deliveries d ON d.endpoint_id = e.id
             WHERE e.tenant_id = :tenant AND d.tenant_id = :tenant AND e.deleted_at IS NOT NULL
               AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
             LIMIT :limit))
        RETURNING {DELIVERIES.names}
        """,  # noqa: S608
        before=before,
        limit=limit,
    )


async def prune_replays(tx: Tx, before: datetime, limit: int) -> int:
    """Deletes replays finished before `before`, and all finished replays of deleted endpoints."""
    return await tx.execute(
        """
        DELETE FROM webhook_replays WHERE tenant_id = :tenant AND id IN (
            SELECT r.id FROM webhook_replays r JOIN webhook_endpoints e ON e.id = r.endpoint_id
            WHERE r.tenant_id = :tenant AND e.tenant_id = :tenant AND r.finished_at IS NOT NULL
              AND (r.finished_at < :before OR e.deleted_at IS NOT NULL)
            LIMIT :limit)
        """,
        before=before,
        limit=limit,
    )


async def prune_endpoints(tx: Tx) -> int:
    """Deletes endpoints that are marked as deleted and have no history left, with their secrets."""
    return await tx.execute(
        """
        DELETE FROM webhook_endpoints e WHERE tenant_id = :tenant AND deleted_at IS NOT NULL
          AND NOT EXISTS (
              SELECT FROM webhook_deliveries d WHERE d.tenant_id = :tenant AND d.endpoint_id = e.id)
          AND NOT EXISTS (
              SELECT FROM webhook_replays r WHERE r.tenant_id = :tenant AND r.endpoint_id = e.id)
        """
    )


async def prune_events(tx: Tx, before: datetime, limit: int) -> Sequence[Any]:
    """Deletes relayed events created before `before`, except those still to be sent."""
    return await tx.rows(
        f"""
        DELETE FROM events WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM events v
            WHERE tenant_id = :tenant AND relayed
              AND sequence < (extract(epoch FROM CAST(:before AS timestamptz)) * 1000000)::bigint
              AND NOT EXISTS (SELECT FROM webhook_deliveries d
                              WHERE d.tenant_id = :tenant AND d.event_id = v.id AND d.status = 'PENDING')
            ORDER BY sequence LIMIT :limit)
        RETURNING {EVENTS.names}
        """,  # noqa: S608
        before=before,
        limit=limit,
    )
