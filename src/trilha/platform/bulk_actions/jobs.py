"""The worker's jobs that begin held bulk actions, and delete old ones."""

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest
from trilha.platform.bulk_actions import queries
from trilha.platform.bulk_actions.schema import RETENTION


async def prune(tx: Tx) -> int:
    return await queries.delete_before(tx, tx.now - RETENTION, 20)


PRUNE = TenantJob(
    name="remove old bulk actions",
    due=oldest("bulk_actions", "created_at < :before AND NOT is_due", "created_at"),
    ages={"before": RETENTION},
    batch=prune,
    rest=300,
)
BEGIN_HELD = TenantJob(
    name="begin held bulk actions",
    due=oldest("bulk_actions", "state = 'HELD' AND held_until <= :now", "held_until"),
    batch=queries.end_holds,
    rest=1,
)
