"""The SQL of enrollments' logs. Lock the head before anything else of an enrollment: see migration 43."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.training.certificates.schema import Evidence
from trilha.training.learning.evidence.schema import Entry, LogHead

# For a statement that joins `all_enrollments e`. An enrollment counts as expired from the moment it expires,
# even before the worker has stored that. A cancelled one counts too, because a learner may have it open.
ENROLLMENT_STATUS = """
    CASE WHEN e.status IN ('NOT_STARTED', 'IN_PROGRESS')
              AND (e.expires_at <= :now OR e.cancelled_at IS NOT NULL)
         THEN 'EXPIRED' ELSE e.status END
"""
_COLUMNS = {name: f"h.{name}" for name in LogHead.__struct_fields__} | {
    "user_id": "e.user_id",
    "course_id": "e.course_id",
    "emitted_progress": "h.told_progress",
    "emitted_at": "h.told_at",
    "status": ENROLLMENT_STATUS,
    "has_outbox": "EXISTS (SELECT FROM statement_settings WHERE tenant_id = :tenant)",
}
# For a statement that joins `learning_heads h` and `all_enrollments e`, and reads the head under "h.…".
JOINED_COLUMNS = ", ".join(f'{column} AS "h.{name}"' for name, column in _COLUMNS.items())
_HEAD = f"""
    SELECT {", ".join(f"{column} AS {name}" for name, column in _COLUMNS.items())}
    FROM learning_heads h
    JOIN all_enrollments e ON e.tenant_id = h.tenant_id AND e.id = h.enrollment_id
    WHERE h.tenant_id = :tenant AND h.enrollment_id = :enrollment_id
"""  # noqa: S608


async def lock_head(tx: Tx, enrollment_id: UUID) -> LogHead:
    """Locks the log of an existing enrollment; all its other changes wait for this transaction."""
    head = await tx.find(LogHead, f"{_HEAD} FOR UPDATE OF h", enrollment_id=enrollment_id)
    if head is None:
        await tx.execute(
            """
            INSERT INTO learning_heads (tenant_id, enrollment_id) VALUES (:tenant, :enrollment_id)
            ON CONFLICT (tenant_id, enrollment_id) DO NOTHING
            """,
            enrollment_id=enrollment_id,
        )
        head = await tx.find(LogHead, f"{_HEAD} FOR UPDATE OF h", enrollment_id=enrollment_id)
    assert head is not None
    return head


async def lock_heads(tx: Tx, enrollment_ids: Sequence[UUID]) -> list[LogHead]:
    """Locks the logs of existing enrollments, in the order in which every transaction locks several."""
    await tx.execute(
        """
        INSERT INTO learning_heads (tenant_id, enrollment_id)
        SELECT :tenant, id FROM unnest(:ids::uuid[]) AS id ORDER BY id
        ON CONFLICT (tenant_id, enrollment_id) DO NOTHING
        RETURNING tenant_id
        """,
        ids=enrollment_ids,
    )
    columns = ", ".join(f"{column} AS {name}" for name, column in _COLUMNS.items())
    return await tx.list(
        LogHead,
        f"""
        SELECT {columns}
        FROM learning_heads h
        JOIN all_enrollments e ON e.tenant_id = h.tenant_id AND e.id = h.enrollment_id
        WHERE h.tenant_id = :tenant AND h.enrollment_id = ANY(:ids)
        ORDER BY e.created_at, e.id FOR UPDATE OF h
        """,  # noqa: S608
        ids=enrollment_ids,
    )


async def find_head(tx: Tx, enrollment_id: UUID) -> LogHead | None:
    return await tx.find(LogHead, _HEAD, enrollment_id=enrollment_id)


async def list_entries(tx: Tx, enrollment_id: UUID, after: int, limit: int) -> list[Entry]:
    """Lists the entries whose number is greater than `after`."""
    return await tx.list(
        Entry,
        f"""
        SELECT {columns_of(Entry)} FROM learning_log
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND number > :after
        ORDER BY number LIMIT :limit
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        after=after,
        limit=limit,
    )


async def list_enrollments_with_log(tx: Tx, after: UUID, limit: int) -> list[UUID]:
    """Lists the ids of enrollments that have a log, in order, from the one after `after` on."""
    rows = await tx.rows(
        """
        SELECT enrollment_id FROM learning_heads
        WHERE tenant_id = :tenant AND enrollment_id > :after ORDER BY enrollment_id LIMIT :limit
        """,
        after=after,
        limit=limit,
    )
    return [row["enrollment_id"] for row in rows]


async def list_last_hashes(tx: Tx, after: UUID, limit: int) -> Sequence[Any]:
    """Lists the enrollment_id, number and hash of logs' last entries, from the one after `after` on."""
    return await tx.rows(
        """
        SELECT enrollment_id, number, hash FROM learning_heads
        WHERE tenant_id = :tenant AND enrollment_id > :after ORDER BY enrollment_id LIMIT :limit
        """,
        after=after,
        limit=limit,
    )


async def list_completion_entries(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, Evidence]:
    """Returns, by enrollment, the last log entry of kind "completed", where there is one."""
    rows = await tx.rows(
        """
        SELECT DISTINCT ON (enrollment_id) enrollment_id, number, hash FROM learning_log
        WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids) AND kind = 'completed'
        ORDER BY enrollment_id, number DESC
        """,
        ids=enrollment_ids,
    )
    return {row["enrollment_id"]: Evidence(row["number"], row["hash"]) for row in rows}
