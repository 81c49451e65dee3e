"""The worker's jobs for sessions."""

from trilha.access.sessions import queries
from trilha.access.sessions.passkeys import queries as passkeys
from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest

_PRUNE_BATCH = 1_000


async def prune(tx: Tx) -> int:
    return await queries.delete_expired(tx, _PRUNE_BATCH)


PRUNE = TenantJob(
    name="prune sessions", due=oldest("sessions", "expires_at < :now", "expires_at"), batch=prune, rest=60
)


async def prune_challenges(tx: Tx) -> int:
    return await passkeys.delete_expired_challenges(tx, _PRUNE_BATCH)


PRUNE_CHALLENGES = TenantJob(
    name="prune passkey challenges",
    due=oldest("passkey_challenges", "expires_at < :now", "expires_at"),
    batch=prune_challenges,
    rest=60,
)
