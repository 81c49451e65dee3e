"""What the worker does for certificates, beside making their PDFs."""

from functools import partial

from trilha.certificates import notices, queries
from trilha.certificates.files import folder
from trilha.core.database import Database
from trilha.core.file_store import FileStore
from trilha.core.jobs import TenantJob, oldest
from trilha.core.sealing_jobs import SealedKind

_BATCH = 100
SEALED = SealedKind(
    name="certificates",
    select="""
        SELECT id, file_key FROM certificates
        WHERE tenant_id = :tenant AND id > :after AND file_key IS NOT NULL AND erased_at IS NULL
        ORDER BY id LIMIT :most FOR NO KEY UPDATE
    """,
    key=lambda _, row: str(row["file_key"]),
)


def tell(address: str) -> TenantJob:
    """Holders, of what they are to be told. `address` is what links begin with."""
    return TenantJob(
        name="tell of certificates",
        due=oldest("certificates", "notice_due_at <= :now", "notice_due_at"),
        batch=partial(notices.tell_due, address=address),
        rest=5,
    )


class RemoveFiles:
    """Of people who were erased. Files first, then rows: one that is killed in between finds them again."""

    name = "remove files of certificates"
    rest = 30.0
    logged = True
    _due = oldest(
        "certificates",
        """erased_at IS NOT NULL AND files_removed_at IS NULL
           AND (render_lease_until IS NULL OR render_lease_until <= :now)""",
        "erased_at",
    )

    def __init__(self, files: FileStore) -> None:
        self._files = files

    async def run_once(self, database: Database) -> int:
        async with database.unscoped() as unscoped:
            tenants = [row["tenant_id"] for row in await unscoped.rows(self._due)]
        done = 0
        for tenant_id in tenants:
            async with database.transaction(tenant_id, read_only=True) as tx:
                ids = await queries.list_erased(tx, _BATCH)
            for each in ids:
                await self._files.delete_below(folder(tenant_id, each))
            async with database.transaction(tenant_id) as tx:
                await queries.note_removed_files(tx, ids)
            done += len(ids)
        return done
