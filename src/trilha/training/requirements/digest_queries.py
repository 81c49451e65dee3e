"""The SQL of the managers' weekly digest."""

from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx


async def lock_due_time(tx: Tx) -> str | None:
    """Returns when the digests are due, locked until the transaction ends, or None if another process has
    the lock.
    """
    due_at: str | None = await tx.value(
        "SELECT digest_at FROM requirement_engines WHERE tenant_id = :tenant FOR UPDATE SKIP LOCKED"
    )
    return due_at


async def set_due_time(tx: Tx, due_at: datetime) -> None:
    await tx.execute(
        "UPDATE requirement_engines SET digest_at = :due_at WHERE tenant_id = :tenant", due_at=due_at
    )


async def list_managers(tx: Tx) -> list[UUID]:
    """Returns the ids of everybody who manages a business unit."""
    rows = await tx.rows(
        "SELECT DISTINCT user_id FROM business_unit_managers WHERE tenant_id = :tenant ORDER BY user_id"
    )
    return [row["user_id"] for row in rows]
