"""The worker's jobs for certificates, except rendering."""

from functools import partial

from trilha.core.database import Database
from trilha.core.file_store import FileStore
from trilha.core.jobs import TenantJob, oldest
from trilha.core.resealing.columns import SealedColumn
from trilha.core.resealing.files import SealedKind
from trilha.training.certificates import notices, queries
from trilha.training.certificates.files import folder
from trilha.training.certificates.pdf import queries as pdf_queries

_BATCH = 100
# A certificate has a copy of its holder's CPF, sealed for the user.
SEALED_HOLDERS = SealedColumn(
    kind="CPFs on certificates",
    table="certificates",
    column="holder_cpf",
    keys={"id": "uuid"},
    context=lambda row: ("users", row["user_id"], "cpf"),
    also=("user_id",),
)
SEALED_CERTIFICATES = SealedKind(
    name="certificates",
    select="""
        SELECT id, file_key FROM certificates
        WHERE tenant_id = :tenant AND id > :after AND file_key IS NOT NULL AND erased_at IS NULL
        ORDER BY id LIMIT :limit FOR NO KEY UPDATE
    """,
    key=lambda _, row: str(row["file_key"]),
)

SEALED_PAPERS = SealedKind(
    name="further forms of certificates",
    select="""
        SELECT certificate_id AS id, file_key FROM certificate_papers
        WHERE tenant_id = :tenant AND certificate_id > :after
        ORDER BY certificate_id LIMIT :limit FOR NO KEY UPDATE
    """,
    key=lambda _, row: str(row["file_key"]),
)


def tell(address: str) -> TenantJob:
    """Notifies holders of their certificates. `address` is the base of links."""
    return TenantJob(
        name="tell of certificates",
        due=oldest("certificates", "notice_due_at <= :now", "notice_due_at"),
        batch=partial(notices.tell_due, address=address),
        rest=5,
    )


class RemoveFiles:
    """Removes files of erased people. Files go before rows, so that an interrupted run is repeated."""

    name = "remove files of certificates"
    rest = 30.0
    is_logged = True
    _due = oldest(
        "certificates",
        """erased_at IS NOT NULL AND files_removed_at IS NULL
           AND (render_lease_until IS NULL OR render_lease_until <= :now)""",
        "erased_at",
    )

    def __init__(self, files: FileStore) -> None:
        self._files = files

    async def run_once(self, database: Database) -> int:
        tenants = [row["tenant_id"] for row in await database.search(self._due)]
        done = 0
        for tenant_id in tenants:
            async with database.transaction(tenant_id, read_only=True) as tx:
                ids = await queries.list_erased(tx, _BATCH)
            for each in ids:
                await self._files.delete_below(folder(tenant_id, each))
            async with database.transaction(tenant_id) as tx:
                await pdf_queries.delete_papers(tx, ids)
                await queries.note_removed_files(tx, ids)
            done += len(ids)
        return done
