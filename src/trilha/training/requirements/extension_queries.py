"""The SQL of later due dates that people were given for a requirement."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx


async def put(tx: Tx, requirement_id: UUID, user_id: UUID, due_at: datetime) -> None:
    """Inserts a person's own due date, or replaces an earlier one. A later one stays."""
    await tx.execute(
        """
        INSERT INTO requirement_extensions (tenant_id, requirement_id, user_id, due_at, granted_by,
                                            created_at)
        VALUES (:tenant, :requirement_id, :user_id, :due_at, :granted_by, :now)
        ON CONFLICT (tenant_id, requirement_id, user_id) DO UPDATE
        SET due_at = excluded.due_at, granted_by = excluded.granted_by, created_at = excluded.created_at
        WHERE requirement_extensions.due_at < excluded.due_at
        """,
        requirement_id=requirement_id,
        user_id=user_id,
        due_at=due_at,
        granted_by=UUID(tx.actor.name) if tx.actor.kind == "user" else None,
    )


async def list_due_dates(tx: Tx, user_ids: Sequence[UUID]) -> dict[tuple[UUID, UUID], datetime]:
    """Returns the due dates that these people were given, by user and requirement."""
    rows = await tx.rows(
        """
        SELECT user_id, requirement_id, due_at FROM requirement_extensions
        WHERE tenant_id = :tenant AND user_id = ANY(:user_ids)
        """,
        user_ids=user_ids,
    )
    return {(row["user_id"], row["requirement_id"]): datetime.fromisoformat(row["due_at"]) for row in rows}


async def lock_own(tx: Tx, requirement_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Returns the due dates that these people were given for a requirement, and locks them in one order."""
    rows = await tx.rows(
        """
        SELECT user_id, due_at FROM requirement_extensions
        WHERE tenant_id = :tenant AND requirement_id = :requirement_id AND user_id = ANY(:user_ids)
        ORDER BY user_id FOR UPDATE
        """,
        requirement_id=requirement_id,
        user_ids=user_ids,
    )
    return {row["user_id"]: row["due_at"] for row in rows}


async def delete(tx: Tx, requirement_id: UUID, user_id: UUID) -> None:
    """Takes back a person's own due date for a requirement."""
    await tx.execute(
        """
        DELETE FROM requirement_extensions
        WHERE tenant_id = :tenant AND requirement_id = :requirement_id AND user_id = :user_id
        """,
        requirement_id=requirement_id,
        user_id=user_id,
    )


async def erase(tx: Tx, user_id: UUID) -> None:
    await tx.execute(
        "DELETE FROM requirement_extensions WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
