"""The worker's job that deletes SCIM requests which a tenant keeps no longer."""

from functools import partial

from trilha.access.scim import request_log
from trilha.core.database import Tx
from trilha.core.jobs import TenantJob
from trilha.platform.retention import queries as retention
from trilha.platform.retention.archive import Archive

_PRUNE_BATCH = 5_000


async def prune_requests(tx: Tx, *, archive: Archive) -> int:
    before = retention.find_cutoff(tx, (await retention.get(tx)).request_log_days)
    rows = await request_log.prune_old(tx, before, _PRUNE_BATCH) if before else ()
    return await archive.keep(tx, request_log.LOG, rows)


def prune_job(archive: Archive) -> TenantJob:
    return TenantJob(
        name="prune SCIM requests",
        due=retention.tenants_with("request_log_days"),
        batch=partial(prune_requests, archive=archive),
        rest=300,
    )
