"""The worker's job that removes the logs which a tenant keeps no longer."""

from functools import partial

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob
from trilha.platform.retention import queries as settings
from trilha.platform.retention.archive import Archive
from trilha.training.learning.evidence import retention

_BATCH = 200


async def prune(tx: Tx, *, archive: Archive) -> int:
    before = settings.find_cutoff(tx, (await settings.get(tx)).learning_log_days)
    ids = await retention.lock_old_logs(tx, before, _BATCH) if before else []
    if ids:
        await archive.keep(tx, retention.LOG, await retention.remove_logs(tx, ids))
    return len(ids)


def prune_job(archive: Archive) -> TenantJob:
    return TenantJob(
        name="prune learning log",
        due=settings.tenants_with("learning_log_days"),
        batch=partial(prune, archive=archive),
        rest=3600,
    )
