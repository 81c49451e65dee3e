"""SQL that removes the entries of logs which a tenant keeps no longer.

A log is removed as a whole. Its head stays and says how many entries there were, and their last hash.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.platform.retention.logs import ArchivedLog

LOG = ArchivedLog(
    name="learning_log",
    at="at",
    key=("enrollment_id", "number"),
    columns={
        "enrollment_id": "text",
        "number": "integer",
        "at": "moment",
        "kind": "text",
        "launch_id": "text",
        "detail": "json",
        "hash": "hex",
    },
)


async def lock_old_logs(tx: Tx, before: datetime, limit: int) -> list[UUID]:
    """Locks the logs of enrollments that ended before `before`, together with their certificates' validity.

    A certificate without an end keeps its log, unless it was revoked.
    """
    rows = await tx.rows(
        """
        SELECT h.enrollment_id FROM learning_heads h
        JOIN all_enrollments e ON e.tenant_id = :tenant AND e.id = h.enrollment_id
        WHERE h.tenant_id = :tenant AND h.number > 0 AND h.retired_at IS NULL AND e.created_at < :before
          AND (e.status IN ('COMPLETED', 'EXPIRED') OR e.cancelled_at IS NOT NULL OR e.expires_at < :before)
          AND NOT EXISTS (SELECT FROM learning_log l
                          WHERE l.tenant_id = :tenant AND l.enrollment_id = h.enrollment_id
                            AND l.at >= :before)
          AND NOT EXISTS (SELECT FROM certificates c
                          WHERE c.tenant_id = :tenant AND c.enrollment_id = h.enrollment_id
                            AND COALESCE(c.expires_at, c.revoked_at, 'infinity') >= :before)
        ORDER BY h.enrollment_id LIMIT :limit FOR UPDATE OF h SKIP LOCKED
        """,
        before=before,
        limit=limit,
    )
    return [row["enrollment_id"] for row in rows]


async def remove_logs(tx: Tx, enrollment_ids: Sequence[UUID]) -> Sequence[Any]:
    """Deletes the entries of locked logs and returns them."""
    rows = await tx.rows(
        f"""
        DELETE FROM learning_log WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids::uuid[])
        RETURNING {LOG.names}
        """,  # noqa: S608
        ids=enrollment_ids,
    )
    await tx.execute(
        """
        UPDATE learning_heads SET retired_at = :now
        WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids::uuid[])
        """,
        ids=enrollment_ids,
    )
    return rows
