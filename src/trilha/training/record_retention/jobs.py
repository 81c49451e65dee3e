"""The worker's daily job: announces what is over soon, and erases what was announced."""

from datetime import timedelta
from uuid import UUID, uuid4

from trilha.core import logs
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.file_store import FileStore
from trilha.core.jobs import tenants_where
from trilha.platform.audit import queries as audit
from trilha.training.classes.attendance_lists import scans
from trilha.training.record_retention import actions, queries

_BATCH = 500
# A little less than a day, so that it does not run later every day.
_AGE = timedelta(hours=20)


class EraseRecords:
    """Works tenant by tenant. A tenant with more than a batch is due again at once."""

    name = "erase training records"
    rest = 300.0
    is_logged = True
    _due = tenants_where(
        """NOT EXISTS (SELECT FROM record_retention_runs r
                       WHERE r.tenant_id = home.tenant_id AND r.ran_at > :before)"""
    )

    def __init__(self, files: FileStore, address: str) -> None:
        self._files = files
        self._link = f"{address}/admin/inspection/retention"

    async def run_once(self, database: Database) -> int:
        done = 0
        for row in await database.search(self._due, uuid4(), before=database.clock() - _AGE):
            try:
                done += await self.run_in(database, row["tenant_id"])
            except CONNECTION_ERRORS:
                raise
            except Exception as error:
                # One tenant must not keep the others waiting.
                logs.log_failure("erasing training records failed", error)
        return done

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Runs one batch in this tenant; returns how many enrollments and scans were dealt with."""
        async with database.transaction(tenant_id) as tx:
            settings = await queries.get_settings(tx)
            await queries.withdraw(tx, settings)
            erased = await actions.erase_due(tx, _BATCH)
            announced = await actions.announce(tx, settings, self._link, _BATCH)
        removed = await self._erase_scans(database, tenant_id)
        if max(erased, announced, removed) < _BATCH:
            async with database.transaction(tenant_id) as tx:
                await queries.note_run(tx)
        return erased + announced + removed

    async def _erase_scans(self, database: Database, tenant_id: UUID) -> int:
        """Deletes files first and notes it second, so that a killed worker finds the rows again."""
        async with database.transaction(tenant_id, read_only=True) as tx:
            ids = await queries.list_scans_to_erase(tx, _BATCH)
        if ids:
            await self._files.delete(*(scans.build_key(tenant_id, each) for each in ids))
            async with database.transaction(tenant_id) as tx:
                for row in await queries.note_erased_scans(tx, ids):
                    detail = {"scan_id": row["id"], "digest": row["digest"]}
                    await audit.record(tx, "record.scan_erased", row["session_id"], **detail)
        return len(ids)
