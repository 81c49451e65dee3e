"""What the worker does for sign-ins: what is over is deleted."""

from functools import partial

from trilha.core.jobs import TenantJob, oldest
from trilha.sso import queries

_PRUNED = 1_000
_TABLES = {"sso_flows": "expires_at", "sso_tickets": "expires_at", "sso_replays": "until"}

PRUNING = tuple(
    TenantJob(
        name=f"prune {table}",
        due=oldest(table, f"{column} < :now", column),
        batch=partial(queries.delete_expired, table=table, column=column, most=_PRUNED),
        rest=60,
    )
    for table, column in _TABLES.items()
)
