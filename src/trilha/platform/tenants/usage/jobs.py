"""The worker's jobs that merge the counters, and measure people and files."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from uuid import UUID

from trilha.core import counter_rows
from trilha.core.database import Database
from trilha.core.file_store import FileStore
from trilha.core.jobs import tenants_where
from trilha.platform.tenants.usage import queries
from trilha.platform.tenants.usage.rules import find_month
from trilha.platform.tenants.usage.schema import USAGE_COUNTERS

MERGE_COUNTERS = counter_rows.job(USAGE_COUNTERS)
_AGE = timedelta(hours=6)


class MeasureUsage:
    """Measures each tenant four times a day: listing the files of a bucket has a price."""

    name = "measure usage"
    rest = 60.0
    is_logged = False
    _due = tenants_where(
        """NOT EXISTS (SELECT FROM usage_months AS measured
                       WHERE measured.tenant_id = home.tenant_id AND measured.measured_at > :old)"""
    )

    def __init__(self, files: FileStore, list_prefixes: Callable[[UUID], Sequence[str]]) -> None:
        self._files = files
        self._list_prefixes = list_prefixes

    async def run_once(self, database: Database) -> int:
        rows = await database.search(self._due, old=database.clock() - _AGE)
        for row in rows:
            await self.run_in(database, row["tenant_id"])
        return len(rows)

    async def run_in(self, database: Database, tenant_id: UUID) -> None:
        measured_at = database.clock()
        files, size = await self._measure_files(tenant_id)
        async with database.transaction(tenant_id) as tx:
            people, active = await queries.count_people(tx)
            await queries.put_measurement(
                tx,
                find_month(measured_at),
                people=people,
                active_people=active,
                files=files,
                storage_bytes=size,
                measured_at=measured_at,
            )

    async def _measure_files(self, tenant_id: UUID) -> tuple[int, int]:
        count = size = 0
        for prefix in self._list_prefixes(tenant_id):
            async for files in self._files.list_below(prefix):
                count += len(files)
                size += sum(file.size for file in files)
        return count, size
