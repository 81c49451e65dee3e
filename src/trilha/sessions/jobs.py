"""What the worker does for sessions."""

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest

_PRUNED = 1_000


async def prune(tx: Tx) -> int:
    """Deletes sessions that are past their last moment."""
    return await tx.execute(
        """
        DELETE FROM sessions WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM sessions WHERE tenant_id = :tenant AND expires_at < :now LIMIT :most)
        """,
        most=_PRUNED,
    )


PRUNE = TenantJob(
    name="prune sessions", due=oldest("sessions", "expires_at < :now", "expires_at"), batch=prune, rest=60
)
