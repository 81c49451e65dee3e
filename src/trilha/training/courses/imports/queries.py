"""The SQL of imports of modules."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx, columns_of
from trilha.core.errors import NotFound
from trilha.core.lists import find_row
from trilha.training.courses.imports.lists import IMPORTS
from trilha.training.courses.imports.rules import RETENTION, ImportStatus, Step
from trilha.training.courses.imports.schema import ModuleImport, NewImport, OpenImport


async def get(tx: Tx, import_id: UUID) -> ModuleImport:
    """Raises NotFound."""
    row = await find_row(tx, IMPORTS, import_id)
    if row is None:
        raise NotFound("module_import_not_found")
    return row.read()


async def insert(tx: Tx, new: NewImport, status: ImportStatus, step: Step) -> None:
    await tx.execute(
        """
        INSERT INTO module_imports (tenant_id, id, course_id, type, title, duration_minutes, required,
                                    workload_kind, delivery, file_name, source_url, status, step,
                                    actor_kind, actor, source, created_at, updated_at)
        VALUES (:tenant, :id, :course_id, :type, :title, :duration_minutes, :required, :workload_kind,
                :delivery, :file_name, :source_url, :status, :step, :actor_kind, :actor, :source, :now,
                :now)
        """,
        **structs.asdict(new),
        status=status,
        step=step,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
        source=tx.actor.source,
    )


async def lock_start(tx: Tx) -> None:
    """Lets one transaction at a time start imports of the tenant, so that their limit holds."""
    await tx.rows(
        "SELECT pg_advisory_xact_lock(hashtextextended('module_imports ' || :tenant::uuid::text, 0))"
    )


async def count_open(tx: Tx) -> int:
    sql = "SELECT count(*) FROM module_imports WHERE tenant_id = :tenant AND step IS NOT NULL"
    found: int = await tx.value(sql)
    return found


async def claim(tx: Tx, lease_until: datetime, import_id: UUID | None = None) -> OpenImport | None:
    """Claims the oldest import whose file is to be fetched and that no worker holds, until `lease_until`."""
    return await tx.find(
        OpenImport,
        f"""
        UPDATE module_imports
        SET status = 'RUNNING', lease_until = :lease_until, tries = tries + 1, updated_at = :now
        WHERE tenant_id = :tenant AND id = (
            SELECT id FROM module_imports
            WHERE tenant_id = :tenant AND step = 'FETCH' AND (lease_until IS NULL OR lease_until <= :now)
              AND (CAST(:import_id AS uuid) IS NULL OR id = :import_id)
            ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING {columns_of(OpenImport)}
        """,  # noqa: S608
        lease_until=lease_until,
        import_id=import_id,
    )


async def extend_lease(tx: Tx, running: OpenImport, lease_until: datetime) -> bool:
    """Returns False if another worker has taken the import over."""
    return await _change(tx, running, lease_until=lease_until)


async def leave_fetching(tx: Tx, running: OpenImport) -> bool:
    """Ends the step of fetching. Returns False if another worker has taken the import over."""
    return await _change(tx, running, step="UNPACK", source_url=None, lease_until=None, updated_at=tx.now)


async def _change(tx: Tx, running: OpenImport, **values: Any) -> bool:
    changed = await tx.execute(
        f"""
        UPDATE module_imports SET {", ".join(f"{name} = :{name}" for name in values)}
        WHERE tenant_id = :tenant AND id = :id AND step = 'FETCH' AND tries = :tries
        """,  # noqa: S608
        id=running.id,
        tries=running.tries,
        **values,
    )
    return changed == 1


async def list_unpacked(tx: Tx, limit: int = 20) -> list[OpenImport]:
    """Lists imports whose package is read, the oldest first."""
    return await tx.list(
        OpenImport,
        f"""
        SELECT {columns_of(OpenImport)} FROM module_imports AS waiting
        WHERE tenant_id = :tenant AND step = 'UNPACK' AND NOT EXISTS (
            SELECT FROM packages
            WHERE tenant_id = :tenant AND packages.id = waiting.id AND packages.finished_at IS NULL)
        ORDER BY created_at, id LIMIT :limit
        """,  # noqa: S608
        limit=limit,
    )


async def lock_unpacked(tx: Tx, import_id: UUID) -> bool:
    """Locks an import until the transaction ends. Returns False if another worker has ended it, or is about
    to.
    """
    sql = """
        SELECT true FROM module_imports WHERE tenant_id = :tenant AND id = :import_id AND step = 'UNPACK'
        FOR UPDATE SKIP LOCKED
        """
    return bool(await tx.value(sql, import_id=import_id))


async def finish(
    tx: Tx, import_id: UUID, *, module_ids: Sequence[UUID] = (), error: dict[str, str] | None = None
) -> None:
    await tx.execute(
        """
        UPDATE module_imports SET status = :status, step = NULL, source_url = NULL, lease_until = NULL,
            module_ids = :module_ids, error = :error, updated_at = :now
        WHERE tenant_id = :tenant AND id = :import_id
        """,
        import_id=import_id,
        status="FAILED" if error else "SUCCEEDED",
        module_ids=list(module_ids),
        error=error,
    )


async def delete_old(tx: Tx, limit: int = 1000) -> int:
    """Deletes imports that ended long ago, up to a limit."""
    return await tx.execute(
        """
        DELETE FROM module_imports WHERE tenant_id = :tenant AND step IS NULL AND id IN (
            SELECT id FROM module_imports
            WHERE tenant_id = :tenant AND step IS NULL AND updated_at < :before LIMIT :limit)
        """,
        before=tx.now - RETENTION,
        limit=limit,
    )
