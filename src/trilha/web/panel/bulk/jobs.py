"""The worker's job for bulk actions that are too large for a request."""

from uuid import UUID

from trilha.core.database import Database
from trilha.core.jobs import oldest
from trilha.platform.bulk_actions import queries
from trilha.platform.bulk_actions.schema import BulkRun
from trilha.web.panel.bulk.running import run_batch


class RunBulkActions:
    """Does the next batch of one action of each tenant. A batch is one transaction: after a crash, the next
    turn continues with the rows that wait.
    """

    name = "run bulk actions"
    rest = 1.0
    is_logged = True
    _due = oldest("bulk_actions", "is_due", "created_at")

    async def run_once(self, database: Database) -> int:
        tenants = [row["tenant_id"] for row in await database.search(self._due)]
        return sum([await run_next(database, each) for each in tenants])


async def run_next(database: Database, tenant_id: UUID) -> int:
    """Does one batch of the tenant's oldest action. Returns the number of rows done."""
    async with database.transaction(tenant_id, read_only=True) as tx:
        found = await queries.find_next(tx)
    if found is None:
        return 0
    async with database.transaction(tenant_id, actor=found.author) as tx:
        run = await queries.claim(tx, found.id)
        if run is None or not run.is_running:
            return 0  # Another process has it, or has finished it.
        after = await run_batch(tx, run)
    return max(1, _count_steps(after) - _count_steps(run))


def _count_steps(run: BulkRun) -> int:
    return run.done + run.skipped + run.undone + run.kept
