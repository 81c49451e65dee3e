"""The SQL of exports."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.training.reports.exports.bundle_rows import BundleFilter
from trilha.training.reports.exports.matrix_rows import MatrixFilter
from trilha.training.reports.exports.rows import ExportFilter
from trilha.training.reports.exports.schema import RunningExport, StoredExport

AnyFilter = ExportFilter | MatrixFilter | BundleFilter
_SELECT = f"SELECT {columns_of(StoredExport)} FROM exports WHERE tenant_id = :tenant"  # noqa: S608
_WAITS = "tenant_id = :tenant AND status IN ('PENDING', 'RUNNING')"
_THERE = "(expires_at IS NULL OR expires_at > :now)"
_ACTIVE = "EXISTS (SELECT FROM tenants WHERE id = :tenant AND status = 'ACTIVE')"


async def insert(
    tx: Tx,
    name: str,
    type: str,
    export_filter: AnyFilter,
    user_id: UUID | None,
    limit: int,
) -> StoredExport | None:
    """Returns None if the limit of waiting exports is reached.

    Each takes one of `limit` slots, and a unique index protects a slot: of two requests for the
    same slot, one gets it and the other chooses again.
    """
    for _ in range(limit):
        made = await tx.find(
            StoredExport,
            f"""
            INSERT INTO exports (tenant_id, name, type, wanted, user_id, place, created_at)
            SELECT :tenant, :name, :type, :export_filter, :user_id, place, :now
            FROM generate_series(1, :limit) AS places (place)
            WHERE place NOT IN (SELECT place FROM exports WHERE {_WAITS} AND place IS NOT NULL)
            ORDER BY random() LIMIT 1
            ON CONFLICT (tenant_id, place) WHERE status IN ('PENDING', 'RUNNING') DO NOTHING
            RETURNING {columns_of(StoredExport)}
            """,  # noqa: S608
            name=name,
            type=type,
            export_filter=msgspec.to_builtins(export_filter),
            user_id=user_id,
            limit=limit,
        )
        if made is not None or await _count_waiting(tx) >= limit:
            return made
    return None


async def _count_waiting(tx: Tx) -> int:
    count: int = await tx.value(f"SELECT count(*) FROM exports WHERE {_WAITS}")  # noqa: S608
    return count


async def find(tx: Tx, export_id: UUID) -> StoredExport | None:
    """Returns None also if the export has expired or the tenant is suspended."""
    sql = f"{_SELECT} AND id = :id AND {_THERE} AND {_ACTIVE}"
    return await tx.find(StoredExport, sql, id=export_id)


async def get(tx: Tx, export_id: UUID) -> StoredExport:
    """Raises NotFound."""
    found = await find(tx, export_id)
    if found is None:
        raise NotFound("export_not_found")
    return found


async def list_of_user(tx: Tx, user_id: UUID, limit: int) -> list[StoredExport]:
    """Lists a user's exports, newest first."""
    return await tx.list(
        StoredExport,
        f"{_SELECT} AND user_id = :user_id AND {_THERE} ORDER BY created_at DESC, id DESC LIMIT :limit",
        user_id=user_id,
        limit=limit,
    )


async def claim(tx: Tx, lease_until: datetime) -> RunningExport | None:
    """Claims the tenant's oldest free export. Returns None if the tenant is suspended."""
    return await tx.find(
        RunningExport,
        f"""
        UPDATE exports SET status = 'RUNNING', lease_until = :lease_until, tries = tries + 1
        WHERE tenant_id = :tenant AND {_ACTIVE} AND id = (
            SELECT id FROM exports
            WHERE tenant_id = :tenant AND status IN ('PENDING', 'RUNNING')
              AND (lease_until IS NULL OR lease_until <= :now)
            ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING {columns_of(RunningExport)}
        """,  # noqa: S608
        lease_until=lease_until,
    )


_OURS = "tenant_id = :tenant AND id = :id AND status = 'RUNNING' AND tries = :tries"


async def advance(tx: Tx, running: RunningExport, rows: int, progress: int, lease_until: datetime) -> bool:
    """Returns False if another worker has the export."""
    sql = f"UPDATE exports SET rows = :rows, progress = :progress, lease_until = :lease WHERE {_OURS}"  # noqa: S608
    return bool(
        await tx.execute(
            sql, id=running.id, tries=running.tries, rows=rows, progress=progress, lease=lease_until
        )
    )


async def finish(
    tx: Tx, running: RunningExport, rows: int, key: str, size: int, sha256: bytes, expires_at: datetime
) -> bool:
    """Returns False if another worker has the export."""
    sql = f"""
        UPDATE exports SET status = 'READY', rows = :rows, progress = 100, lease_until = NULL,
            file_key = :key, file_size = :size, file_sha256 = :sha256,
            finished_at = :now, expires_at = :expires_at
        WHERE {_OURS}"""  # noqa: S608
    return bool(
        await tx.execute(
            sql,
            id=running.id,
            tries=running.tries,
            rows=rows,
            key=key,
            size=size,
            sha256=sha256,
            expires_at=expires_at,
        )
    )


async def fail(tx: Tx, running: RunningExport, expires_at: datetime) -> None:
    sql = f"""
        UPDATE exports SET status = 'FAILED', lease_until = NULL, finished_at = :now,
            expires_at = :expires_at
        WHERE {_OURS}"""  # noqa: S608
    await tx.execute(sql, id=running.id, tries=running.tries, expires_at=expires_at)


async def withdraw(tx: Tx) -> None:
    """Withdraws all files at once and restarts exports in progress. Workers that claim meanwhile find the
    rows locked.
    """
    await tx.execute(
        """
        UPDATE exports SET
            status = CASE WHEN status = 'RUNNING' THEN 'PENDING' ELSE status END,
            lease_until = NULL,
            expires_at = CASE WHEN finished_at IS NULL THEN NULL ELSE LEAST(expires_at, :now) END
        WHERE tenant_id = :tenant
        """
    )


async def list_expired(tx: Tx, limit: int) -> list[UUID]:
    rows = await tx.rows(
        "SELECT id FROM exports WHERE tenant_id = :tenant AND expires_at <= :now LIMIT :limit", limit=limit
    )
    return [row["id"] for row in rows]


async def delete(tx: Tx, ids: Sequence[UUID]) -> None:
    await tx.execute("DELETE FROM exports WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=ids)
