"""The SQL of the audit records, which are only ever added."""

from typing import Any
from uuid import UUID

from trilha.audit.schema import AuditRecord
from trilha.core.database import Tx

_COLUMNS = ", ".join(AuditRecord.__struct_fields__)


async def record(tx: Tx, action: str, target_id: UUID, target_name: str, **detail: Any) -> None:
    """In the transaction of the recorded change. `detail` must hold no secret."""
    await tx.execute(
        """
        INSERT INTO audit_records (tenant_id, action, target_id, target_name, actor_kind, actor, source,
                                   detail, created_at)
        VALUES (:tenant, :action, :target_id, :target_name, :actor_kind, :actor, :source, :detail, :now)
        """,
        action=action,
        target_id=target_id,
        target_name=target_name,
        actor_kind=tx.actor.kind,
        actor=tx.actor.name,
        source=tx.actor.source,
        detail=detail,
    )


async def list_latest(tx: Tx, most: int) -> list[AuditRecord]:
    """Newest first."""
    return await tx.list(
        AuditRecord,
        f"""
        SELECT {_COLUMNS} FROM audit_records WHERE tenant_id = :tenant
        ORDER BY created_at DESC, id DESC LIMIT :most
        """,  # noqa: S608
        most=most,
    )
