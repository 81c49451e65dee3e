"""What the worker does for learning: it looks for unusual learning, issues the certificates of what was
completed before there were any, and removes recordings that were replaced or whose speaker was erased."""

from trilha.core.database import Database
from trilha.core.file_store import FileStore
from trilha.core.jobs import TenantJob, each_tenant_once, oldest
from trilha.core.sealing_jobs import SealedKind
from trilha.learning import certifying, quiz_queries, recording, reviewing

_BATCH = 100
SEALED = SealedKind(
    name="recordings",
    select="""
        SELECT id FROM voice_recordings
        WHERE tenant_id = :tenant AND id > :after AND removed_at IS NULL
        ORDER BY id LIMIT :most FOR NO KEY UPDATE
    """,
    key=lambda tenant_id, row: recording.key(tenant_id, row["id"]),
)


class RemoveRecordings:
    """Files first, then rows: one that is killed in between finds the rows again."""

    name = "remove recordings"
    rest = 60.0
    logged = True
    _due = oldest("voice_recordings", "removed_at IS NOT NULL", "removed_at")

    def __init__(self, files: FileStore) -> None:
        self._files = files

    async def run_once(self, database: Database) -> int:
        async with database.unscoped() as unscoped:
            tenants = [row["tenant_id"] for row in await unscoped.rows(self._due)]
        done = 0
        for tenant_id in tenants:
            async with database.transaction(tenant_id, read_only=True) as tx:
                ids = await quiz_queries.list_removed(tx, _BATCH)
            await self._files.delete(*(recording.key(tenant_id, each) for each in ids))
            async with database.transaction(tenant_id) as tx:
                await quiz_queries.delete_recordings(tx, ids)
            done += len(ids)
        return done


CHECK = TenantJob(
    name="look for unusual learning",
    due=oldest("review_checks", "true", "created_at"),
    batch=reviewing.check,
    rest=5,
)
ISSUE_MISSING = TenantJob(
    name="issue certificates of earlier completions",
    due=each_tenant_once("missing_certificates", "true"),
    batch=certifying.issue_missing,
    rest=30,
)
JOBS = (CHECK, ISSUE_MISSING)
