"""The SQL of tenant_deletions, and of what only the database's owner may delete."""

from uuid import UUID

from msgspec.structs import replace

from trilha.core.credentials import Actor
from trilha.core.database import Connection, columns_of
from trilha.core.secrets import Keyring
from trilha.core.types import Timestamp
from trilha.platform.tenants.deletion.proof import hash_deletion
from trilha.platform.tenants.deletion.schema import Deletion, Inventory

_COLUMNS = columns_of(Deletion)


async def find_unfinished(owner: Connection, slug: str) -> Deletion | None:
    return await owner.find(
        Deletion,
        f"SELECT {_COLUMNS} FROM tenant_deletions WHERE slug = :slug AND finished_at IS NULL",  # noqa: S608
        slug=slug,
    )


async def get(owner: Connection, id: UUID) -> Deletion | None:
    return await owner.find(Deletion, f"SELECT {_COLUMNS} FROM tenant_deletions WHERE id = :id", id=id)  # noqa: S608


async def list_all(owner: Connection) -> list[Deletion]:
    return await owner.list(Deletion, f"SELECT {_COLUMNS} FROM tenant_deletions ORDER BY started_at, id")  # noqa: S608


async def begin(owner: Connection, slug: str, actor: Actor) -> Deletion | None:
    """Marks the tenant, so that its credentials are refused. Returns None if there is no such tenant."""
    tenant = await owner.rows(
        "UPDATE tenants SET status = 'DELETING' WHERE slug = :slug RETURNING id, environment", slug=slug
    )
    if not tenant:
        return None
    await _record(owner, "tenant.deletion_started", tenant[0]["id"], actor)
    return await owner.find(
        Deletion,
        f"""
        INSERT INTO tenant_deletions (deleted_tenant, slug, environment, actor, source, started_at)
        VALUES (:tenant_id, :slug, :environment, :actor, :source, :now) RETURNING {_COLUMNS}
        """,  # noqa: S608
        tenant_id=tenant[0]["id"],
        slug=slug,
        environment=tenant[0]["environment"],
        actor=actor.name,
        source=actor.source,
    )


async def set_inventory(owner: Connection, id: UUID, inventory: Inventory) -> None:
    """Stores what there was. Does nothing if it was counted before, because part of it may be gone since."""
    await owner.execute(
        """
        UPDATE tenant_deletions
        SET counted_at = :now, row_counts = :rows, files = :files, file_bytes = :bytes, evidence_logs = :logs,
            evidence_entries = :entries, evidence_hash = :hash
        WHERE id = :id AND counted_at IS NULL
        """,
        id=id,
        rows=inventory.row_counts,
        files=inventory.files,
        bytes=inventory.file_bytes,
        logs=inventory.evidence.logs,
        entries=inventory.evidence.entries,
        hash=inventory.evidence.hash,
    )


async def delete_audit_records(owner: Connection, tenant_id: UUID, limit: int) -> int:
    """Deletes some audit records, and returns how many."""
    await _enter(owner, tenant_id)
    return await owner.execute(
        """
        DELETE FROM audit_records WHERE tenant_id = :tenant_id AND ctid IN (
            SELECT ctid FROM audit_records WHERE tenant_id = :tenant_id LIMIT :limit)
        """,
        tenant_id=tenant_id,
        limit=limit,
    )


async def finish(owner: Connection, keyring: Keyring, id: UUID, actor: Actor) -> Deletion:
    """Deletes the tenant's own row and completes the proof. Runs again without effect."""
    # One after the other, because each proof continues the one before.
    await owner.execute("LOCK TABLE tenant_deletions IN SHARE ROW EXCLUSIVE MODE")
    deletion = await get(owner, id)
    assert deletion is not None
    if deletion.finished_at is not None:
        return deletion
    await _enter(owner, deletion.deleted_tenant)
    await owner.execute("DELETE FROM tenant_homes WHERE tenant_id = :id", id=deletion.deleted_tenant)
    await owner.execute("DELETE FROM tenants WHERE id = :id", id=deletion.deleted_tenant)
    await _record(owner, "tenant.deleted", deletion.deleted_tenant, actor)
    return await _complete(owner, keyring, deletion)


async def find_hash_of(owner: Connection, number: int) -> bytes | None:
    hash: bytes | None = await owner.value(
        "SELECT hash FROM tenant_deletions WHERE number = :number", number=number
    )
    return hash


async def has_tenant(owner: Connection, tenant_id: UUID) -> bool:
    return bool(await owner.value("SELECT EXISTS (SELECT FROM tenants WHERE id = :id)", id=tenant_id))


async def _complete(owner: Connection, keyring: Keyring, deletion: Deletion) -> Deletion:
    last = await owner.rows(
        "SELECT number, hash FROM tenant_deletions WHERE hash IS NOT NULL ORDER BY number DESC LIMIT 1"
    )
    number, previous = (last[0]["number"], last[0]["hash"]) if last else (0, b"")
    unsigned = replace(
        deletion, finished_at=Timestamp.of(owner.now), number=number + 1, previous=previous, hash=None
    )
    finished = replace(unsigned, hash=hash_deletion(keyring, unsigned))
    await owner.execute(
        """
        UPDATE tenant_deletions
        SET finished_at = :finished_at, number = :number, previous = :previous, hash = :hash WHERE id = :id
        """,
        id=finished.id,
        finished_at=finished.finished_at,
        number=finished.number,
        previous=finished.previous,
        hash=finished.hash,
    )
    return finished


async def _record(owner: Connection, action: str, tenant_id: UUID, actor: Actor) -> None:
    await owner.execute(
        """
        INSERT INTO global_audit_records (action, target, actor_kind, actor, source, created_at)
        VALUES (:action, :target, :actor_kind, :actor, :source, :now)
        """,
        action=action,
        target=str(tenant_id),
        actor_kind=actor.kind,
        actor=actor.name,
        source=actor.source,
    )


async def _enter(owner: Connection, tenant_id: UUID) -> None:
    """Names the tenant to row-level security, which also applies to the owner."""
    await owner.execute(f"SET LOCAL trilha.tenant = '{tenant_id}'")
