"""The SQL of packages."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct, convert, structs

from trilha.core.database import Tx, columns_of
from trilha.core.errors import Conflict, NotFound
from trilha.core.lists import find_rows
from trilha.training.scorm.lists import PACKAGES
from trilha.training.scorm.package.extraction import StoredFile
from trilha.training.scorm.package.manifest import Manifest
from trilha.training.scorm.rules import State
from trilha.training.scorm.schema import (
    Contents,
    Package,
    Report,
    RunningImport,
    StoredArchive,
)


class _StoredPackage(Struct, frozen=True):
    state: State
    sha256: str
    manifest: dict[str, Any] | None
    files: dict[str, Any] | None


async def find(tx: Tx, package_id: UUID) -> Package | None:
    packages = await list_by_ids(tx, [package_id])
    return packages[0] if packages else None


async def get(tx: Tx, package_id: UUID) -> Package:
    """Raises NotFound."""
    if (found := await find(tx, package_id)) is None:
        raise NotFound("package_not_found")
    return found


async def list_by_ids(tx: Tx, package_ids: Sequence[UUID]) -> list[Package]:
    """Returns the packages with these ids, by title."""
    packages = [_read(each) for each in await find_rows(tx, PACKAGES, package_ids)]
    return sorted(packages, key=lambda each: (each.title, each.created_at))


async def get_contents(tx: Tx, package_id: UUID) -> Contents:
    """Returns the contents. Raises NotFound, and Conflict (package_not_ready)."""
    found = await tx.find(
        _StoredPackage,
        "SELECT state, sha256, manifest, files FROM packages WHERE tenant_id = :tenant AND id = :package_id",
        package_id=package_id,
    )
    if found is None:
        raise NotFound("package_not_found")
    if found.state != "READY":
        raise Conflict("package_not_ready")
    manifest, files = convert(found.manifest, Manifest), convert(found.files, dict[str, StoredFile])
    return Contents(tx.tenant_id, found.sha256, manifest, files)


async def find_manifest(tx: Tx, package_id: UUID) -> Manifest | None:
    """Returns None if there is no such package, or it is not READY."""
    found = await tx.value(
        "SELECT manifest FROM packages WHERE tenant_id = :tenant AND id = :package_id AND state = 'READY'",
        package_id=package_id,
    )
    return None if found is None else convert(found, Manifest)


async def insert(tx: Tx, archive: StoredArchive, file_name: str, title: str) -> None:
    await tx.execute(
        """
        INSERT INTO packages (tenant_id, id, sha256, file_name, size, archive, title,
                              actor_kind, actor, source, created_at)
        VALUES (:tenant, :id, :sha256, :file_name, :size, :key, :title,
                :actor_kind, :actor, :source, :now)
        """,
        **structs.asdict(archive),
        file_name=file_name,
        title=title,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
        source=tx.actor.source,
    )


async def claim(tx: Tx, lease_until: datetime, package_id: UUID | None = None) -> RunningImport | None:
    """Claims the oldest import that still has its archive and that no worker holds, until `lease_until`.

    A finished import keeps its state; only its archive is still to be removed.
    """
    return await tx.find(
        RunningImport,
        f"""
        UPDATE packages SET lease_until = :lease_until,
            state = CASE WHEN finished_at IS NULL THEN 'RUNNING' ELSE state END,
            tries = tries + CASE WHEN finished_at IS NULL THEN 1 ELSE 0 END
        WHERE tenant_id = :tenant AND id = (
            SELECT id FROM packages
            WHERE tenant_id = :tenant AND archive IS NOT NULL
              AND (lease_until IS NULL OR lease_until <= :now)
              AND (CAST(:package_id AS uuid) IS NULL OR id = :package_id)
            ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING {columns_of(RunningImport)}
        """,  # noqa: S608
        lease_until=lease_until,
        package_id=package_id,
    )


async def advance(tx: Tx, running: RunningImport, progress: int, lease_until: datetime) -> bool:
    """Returns False if another worker has taken the import over."""
    return await _change(tx, running, {"progress": progress, "lease_until": lease_until})


async def finish(tx: Tx, running: RunningImport, state: State, values: Mapping[str, Any]) -> bool:
    """Returns False if another worker has taken the import over."""
    ended = {"state": state, "progress": 100, "finished_at": tx.now, "lease_until": None}
    return await _change(tx, running, ended | dict(values))


async def _change(tx: Tx, running: RunningImport, values: Mapping[str, Any]) -> bool:
    changed = await tx.execute(
        f"""
        UPDATE packages SET {", ".join(f"{name} = :{name}" for name in values)}
        WHERE tenant_id = :tenant AND id = :id AND state = 'RUNNING' AND tries = :tries
        """,  # noqa: S608
        id=running.id,
        tries=running.tries,
        **values,
    )
    return changed == 1


async def forget_archive(tx: Tx, package_id: UUID) -> None:
    await tx.execute(
        """
        UPDATE packages SET archive = NULL, lease_until = NULL
        WHERE tenant_id = :tenant AND id = :package_id AND finished_at IS NOT NULL
        """,
        package_id=package_id,
    )


async def delete(tx: Tx, package: Package) -> bool:
    """Deletes a finished package that no module shows. Returns whether no other package has its files."""
    await tx.execute(
        """
        DELETE FROM packages WHERE tenant_id = :tenant AND id = :id AND finished_at IS NOT NULL
        """,
        id=package.id,
    )
    kept = await tx.value(
        """
        SELECT EXISTS (SELECT FROM packages WHERE tenant_id = :tenant AND sha256 = :sha256
                       AND state IN ('WAITING', 'RUNNING', 'READY'))
        """,
        sha256=package.sha256,
    )
    return not kept


async def is_archive_shared(tx: Tx, running: RunningImport) -> bool:
    """Whether another package has, or is about to have, the files of the same archive."""
    found: bool = await tx.value(
        """
        SELECT EXISTS (SELECT FROM packages WHERE tenant_id = :tenant AND sha256 = :sha256 AND id <> :id
                       AND state IN ('WAITING', 'RUNNING', 'READY'))
        """,
        sha256=running.sha256,
        id=running.id,
    )
    return found


def _read(row: Package) -> Package:
    """The report is plain JSON in the database."""
    return structs.replace(row, report=None if row.report is None else convert(row.report, Report))
