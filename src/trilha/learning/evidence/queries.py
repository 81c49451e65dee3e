"""The SQL of enrollments' logs.

The head's lock comes first: see migration 43.
"""

from collections.abc import Sequence
from uuid import UUID

from trilha.certificates.schema import Evidence
from trilha.core.database import Tx, columns_of
from trilha.learning.evidence.schema import Entry, LogHead

_OF_THE_ENROLLMENT = {
    "user_id": "e.user_id",
    "course_id": "e.course_id",
    # From the instant on, whenever it is stored. What is cancelled is over for whoever has it open.
    "status": """CASE WHEN e.status IN ('NOT_STARTED', 'IN_PROGRESS')
                           AND (e.expires_at <= :now OR e.cancelled_at IS NOT NULL)
                      THEN 'EXPIRED' ELSE e.status END AS status""",
}

_COLUMNS = (_OF_THE_ENROLLMENT.get(each, f"h.{each}") for each in LogHead.__struct_fields__)

_HEAD = f"""
    SELECT {", ".join(_COLUMNS)}
    FROM learning_heads h
    JOIN all_enrollments e ON e.tenant_id = h.tenant_id AND e.id = h.enrollment_id
    WHERE h.tenant_id = :tenant AND h.enrollment_id = :enrollment_id
"""  # noqa: S608


async def lock_head(tx: Tx, enrollment_id: UUID) -> LogHead:
    """The end of the log of an enrollment that is there. Everything else of it waits for this transaction."""
    locked = await tx.find(LogHead, f"{_HEAD} FOR UPDATE OF h", enrollment_id=enrollment_id)
    if locked is None:
        await tx.execute(
            """
            INSERT INTO learning_heads (tenant_id, enrollment_id) VALUES (:tenant, :enrollment_id)
            ON CONFLICT (tenant_id, enrollment_id) DO NOTHING
            """,
            enrollment_id=enrollment_id,
        )
        locked = await tx.find(LogHead, f"{_HEAD} FOR UPDATE OF h", enrollment_id=enrollment_id)
    assert locked is not None
    return locked


async def find_head(tx: Tx, enrollment_id: UUID) -> LogHead | None:
    return await tx.find(LogHead, _HEAD, enrollment_id=enrollment_id)


async def list_entries(tx: Tx, enrollment_id: UUID, after: int, most: int = 500) -> list[Entry]:
    return await tx.list(
        Entry,
        f"""
        SELECT {columns_of(Entry)} FROM learning_log
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND number > :after
        ORDER BY number LIMIT :most
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        after=after,
        most=most,
    )


async def list_enrollments_with_log(tx: Tx, after: UUID, most: int = 500) -> list[UUID]:
    """Enrollments with a log, in the order of their ids."""
    rows = await tx.rows(
        """
        SELECT enrollment_id FROM learning_heads
        WHERE tenant_id = :tenant AND enrollment_id > :after ORDER BY enrollment_id LIMIT :most
        """,
        after=after,
        most=most,
    )
    return [row["enrollment_id"] for row in rows]


async def list_completion_entries(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, Evidence]:
    """By enrollment, the entry of its log that says that it was completed, where there is one."""
    rows = await tx.rows(
        """
        SELECT DISTINCT ON (enrollment_id) enrollment_id, number, hash FROM learning_log
        WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids) AND kind = 'completed'
        ORDER BY enrollment_id, number DESC
        """,
        ids=enrollment_ids,
    )
    return {row["enrollment_id"]: Evidence(row["number"], row["hash"]) for row in rows}
