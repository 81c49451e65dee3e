"""The worker's jobs for sessions."""

from trilha.access.sessions import queries
from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest

_PRUNE_BATCH = 1_000


async def prune(tx: Tx) -> int:
    return await queries.delete_expired(tx, _PRUNE_BATCH)


PRUNE = TenantJob(
    name="prune sessions", due=oldest("sessions", "expires_at < :now", "expires_at"), batch=prune, rest=60
)
