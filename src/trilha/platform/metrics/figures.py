"""What /metrics answers: the figures of this machine's processes, and the work that waits in the database."""

import hmac
from datetime import datetime

from trilha.core import metrics
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.types import Timestamp
from trilha.platform.status import queries
from trilha.platform.status.schema import Backlog
from trilha.platform.tenants.usage import unscoped as usage

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def is_token(authorization: str, token: str) -> bool:
    """Returns whether an Authorization header has the operator's token."""
    return hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())


async def render(database: Database) -> bytes:
    return metrics.render(await _load_gauges(database))


async def _load_gauges(database: Database) -> dict[str, tuple[str, dict[str, float]]]:
    try:
        async with database.unscoped() as unscoped:
            backlogs = await queries.list_backlog(unscoped)
            tenants = await usage.count_tenants(unscoped)
            used = await usage.sum_latest(unscoped)
    except CONNECTION_ERRORS:
        return {"trilha_database_up": ("Whether the database answers.", {"database": 0})}
    now = database.clock()
    return {
        "trilha_database_up": ("Whether the database answers.", {"database": 1}),
        "trilha_tenants": ("Tenants by status.", tenants),
        "trilha_usage": ("People and files of all tenants, as measured last.", used),
        "trilha_backlog": ("Work that waits.", {each.work: each.waiting for each in backlogs}),
        "trilha_backlog_age_seconds": (
            "How long the oldest due work has waited.",
            {each.work: _measure_age(each, now) for each in backlogs},
        ),
    }


def _measure_age(backlog: Backlog, now: datetime) -> float:
    if backlog.oldest_due is None:
        return 0
    return max(0.0, (now - Timestamp(backlog.oldest_due).moment()).total_seconds())
