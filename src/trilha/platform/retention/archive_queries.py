"""SQL of the archive's files."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.types import Timestamp


class NewFile(Struct, frozen=True):
    log: str
    month: str
    rows: int
    file_key: str


class ArchiveFile(Struct, frozen=True):
    """A file of archived rows. `month` is the month in which the rows were written, such as 2026-11."""

    id: UUID
    log: str
    month: str
    rows: int
    file_key: str
    created_at: Timestamp


async def insert(tx: Tx, files: Sequence[NewFile]) -> None:
    """Adds files. One that an earlier, interrupted deletion has stored is not added twice."""
    await tx.execute(
        """
        INSERT INTO archive_files (tenant_id, log, month, rows, file_key, created_at)
        SELECT :tenant, file.log, file.month, file.rows, file.file_key, :now
        FROM unnest(:logs::text[], :months::text[], :rows::int[], :keys::text[])
             AS file (log, month, rows, file_key)
        ON CONFLICT (tenant_id, file_key) DO NOTHING
        RETURNING tenant_id
        """,
        logs=[each.log for each in files],
        months=[each.month for each in files],
        rows=[each.rows for each in files],
        keys=[each.file_key for each in files],
    )


async def list_files(tx: Tx, log: str | None = None, month: str | None = None) -> list[ArchiveFile]:
    """Lists the tenant's files by log and month, oldest first."""
    return await tx.list(
        ArchiveFile,
        f"""
        SELECT {columns_of(ArchiveFile)} FROM archive_files
        WHERE tenant_id = :tenant AND (CAST(:log AS text) IS NULL OR log = :log)
          AND (CAST(:month AS text) IS NULL OR month = :month)
        ORDER BY log, month, file_key
        """,  # noqa: S608
        log=log,
        month=month,
    )
