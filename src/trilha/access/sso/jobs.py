"""The worker's jobs for sign-ins: deleting what has expired."""

from functools import partial

from trilha.access.sso import queries
from trilha.core.jobs import TenantJob, oldest

_PRUNE_BATCH = 1_000
_TABLES = {"sso_flows": "expires_at", "sso_tickets": "expires_at", "sso_replays": "until"}

PRUNING = tuple(
    TenantJob(
        name=f"prune {table}",
        due=oldest(table, f"{column} < :now", column),
        batch=partial(queries.delete_expired, table=table, column=column, limit=_PRUNE_BATCH),
        rest=60,
    )
    for table, column in _TABLES.items()
)
