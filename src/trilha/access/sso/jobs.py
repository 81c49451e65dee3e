"""The worker's jobs for sign-ins: deleting what has expired, and what a tenant keeps no longer."""

from functools import partial

from trilha.access.sso import queries, sign_ins
from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest
from trilha.platform.retention import queries as retention
from trilha.platform.retention.archive import Archive

_PRUNE_BATCH = 1_000
_TABLES = {"sso_flows": "expires_at", "sso_tickets": "expires_at", "sso_replays": "until"}


async def prune_sign_ins(tx: Tx, *, archive: Archive) -> int:
    before = retention.find_cutoff(tx, (await retention.get(tx)).sign_in_days)
    rows = await sign_ins.prune_old(tx, before, _PRUNE_BATCH) if before else ()
    return await archive.keep(tx, sign_ins.LOG, rows)


def prune_job(archive: Archive) -> TenantJob:
    return TenantJob(
        name="prune sign-ins",
        due=retention.tenants_with("sign_in_days"),
        batch=partial(prune_sign_ins, archive=archive),
        rest=300,
    )


PRUNING = tuple(
    TenantJob(
        name=f"prune {table}",
        due=oldest(table, f"{column} < :now", column),
        batch=partial(queries.delete_expired, table=table, column=column, limit=_PRUNE_BATCH),
        rest=60,
    )
    for table, column in _TABLES.items()
)
