"""The SQL of excuses."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp


async def put(tx: Tx, requirement_id: UUID, user_id: UUID, reason: str, until: datetime | None) -> None:
    """Inserts or replaces an excuse."""
    await tx.execute(
        """
        INSERT INTO requirement_excuses (tenant_id, requirement_id, user_id, reason, until, excused_by,
                                         created_at)
        VALUES (:tenant, :requirement_id, :user_id, :reason, :until, :excused_by, :now)
        ON CONFLICT (tenant_id, requirement_id, user_id) DO UPDATE
        SET reason = excluded.reason, until = excluded.until, excused_by = excluded.excused_by,
            created_at = excluded.created_at
        """,
        requirement_id=requirement_id,
        user_id=user_id,
        reason=reason,
        until=until,
        excused_by=UUID(tx.actor.name) if tx.actor.kind == "user" else None,
    )


class ExcuseReason(Struct, frozen=True):
    """Why a person need not hold what a requirement asks for. `until` is None for good."""

    requirement_id: UUID
    reason: str
    until: Timestamp | None


async def list_reasons(tx: Tx, user_id: UUID) -> dict[UUID, ExcuseReason]:
    """Returns a person's excuses by requirement."""
    excuses = await tx.list(
        ExcuseReason,
        """
        SELECT requirement_id, reason, until FROM requirement_excuses
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
    )
    return {each.requirement_id: each for each in excuses}


async def delete(tx: Tx, requirement_id: UUID, user_id: UUID) -> bool:
    """Returns False if there was none."""
    return bool(
        await tx.execute(
            """
            DELETE FROM requirement_excuses
            WHERE tenant_id = :tenant AND requirement_id = :requirement_id AND user_id = :user_id
            """,
            requirement_id=requirement_id,
            user_id=user_id,
        )
    )


async def erase(tx: Tx, user_id: UUID) -> None:
    """Removes the excuses of a person, because their reasons are personal."""
    await tx.execute(
        "DELETE FROM requirement_excuses WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
