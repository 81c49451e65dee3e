"""The SQL of the end of a module."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.learning.endings.schema import StoredEnding


async def get_stored_ending(tx: Tx, enrollment_id: UUID, module_id: UUID) -> StoredEnding:
    """Returns what is stored; nothing of a module that was never opened."""
    stored = await tx.find(
        StoredEnding,
        """
        SELECT p.percent_before, p.percent_after, p.xp_after, h.xp_after AS course_xp_after,
               p.credited_seconds AS seconds
        FROM module_progress p
        LEFT JOIN learning_heads h ON h.tenant_id = p.tenant_id AND h.enrollment_id = p.enrollment_id
        WHERE p.tenant_id = :tenant AND p.enrollment_id = :enrollment_id AND p.module_id = :module_id
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
    )
    return stored or StoredEnding()
