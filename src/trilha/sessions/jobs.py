"""What the worker does for sessions."""

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest
from trilha.sessions import queries

_PRUNED = 1_000


async def prune(tx: Tx) -> int:
    return await queries.delete_expired(tx, _PRUNED)


PRUNE = TenantJob(
    name="prune sessions", due=oldest("sessions", "expires_at < :now", "expires_at"), batch=prune, rest=60
)
