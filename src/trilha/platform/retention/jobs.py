"""The worker's job that deletes audit records which a tenant keeps no longer."""

from functools import partial

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob
from trilha.platform.retention import queries
from trilha.platform.retention.archive import Archive
from trilha.platform.retention.logs import AUDIT_LOG

_BATCH = 5_000


async def prune_audit_log(tx: Tx, *, archive: Archive) -> int:
    settings, done = await queries.get(tx), 0
    for days, sign_ins in ((settings.audit_log_days, False), (settings.sign_in_days, True)):
        if before := queries.find_cutoff(tx, days):
            rows = await queries.prune_audit_log(tx, before, _BATCH, sign_ins=sign_ins)
            done += await archive.keep(tx, AUDIT_LOG, rows)
    return done


def prune_job(archive: Archive) -> TenantJob:
    return TenantJob(
        name="prune audit log",
        due=queries.tenants_with("audit_log_days", "sign_in_days"),
        batch=partial(prune_audit_log, archive=archive),
        rest=300,
    )
