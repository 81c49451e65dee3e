"""The worker's jobs for requirements. Each turn judges and enrolls some people of a tenant; the tenant's lock
keeps two processes from doing so at once.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest
from trilha.training.requirements import engine, line_queries

_PEOPLE = 400
_DAY = timedelta(days=1)

Take = Callable[[Tx, int], Awaitable[Sequence[UUID]]]


def _settling(take: Take) -> Callable[[Tx], Awaitable[int]]:
    """Builds a job's batch, which settles the people that `take` returns."""

    async def settle(tx: Tx) -> int:
        if not await line_queries.lock_engine(tx):
            return 0
        user_ids = await take(tx, _PEOPLE)
        if user_ids:
            await engine.settle(tx, user_ids)
        return len(user_ids)

    return settle


async def begin_daily_sweep(tx: Tx) -> int:
    """Puts everybody in line once a day, in case anything was missed."""
    return await line_queries.begin_sweep(tx, tx.now - _DAY)


JOBS = (
    TenantJob(
        name="check requirements of people",
        due=oldest("requirement_checks", "true", "created_at"),
        batch=_settling(line_queries.take_checks),
        rest=1,
    ),
    TenantJob(
        name="check requirements that change with time",
        due=oldest("requirement_people", "next_at <= :now", "next_at"),
        batch=_settling(line_queries.list_due),
        rest=2,
    ),
    TenantJob(
        name="check changed requirements",
        due=oldest("requirement_sweeps", "true", "created_at"),
        batch=_settling(line_queries.take_next_of_sweep),
        rest=1,
    ),
    TenantJob(
        name="check all requirements daily",
        due=oldest("requirement_engines", "swept_at <= :yesterday", "swept_at"),
        ages={"yesterday": _DAY},
        batch=begin_daily_sweep,
        rest=300,
    ),
)
