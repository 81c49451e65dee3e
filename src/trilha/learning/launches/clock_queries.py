"""The SQL of learner clocks, which hold until when each person's time is credited."""

from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx
from trilha.learning.launches.schema import LearnerClock


async def lock_clock(tx: Tx, user_id: UUID) -> LearnerClock | None:
    """Locks a person's clock, so that only one launch at a time earns time."""
    rows = await tx.rows(
        """
        SELECT launch_id, credited_until, studied_until FROM learner_clocks
        WHERE tenant_id = :tenant AND user_id = :user_id FOR UPDATE
        """,
        user_id=user_id,
    )
    if not rows:
        return None
    launch_id, credited, studied = rows[0]
    return LearnerClock(
        launch_id,
        datetime.fromisoformat(credited),
        datetime.fromisoformat(studied) if studied else None,
    )


async def set_credited_until(tx: Tx, user_id: UUID, launch_id: UUID) -> None:
    """Notes that the person's time is credited until now, by this launch."""
    await tx.execute(
        """
        INSERT INTO learner_clocks (tenant_id, user_id, launch_id, credited_until)
        VALUES (:tenant, :user_id, :launch_id, :now)
        ON CONFLICT (tenant_id, user_id)
        DO UPDATE SET launch_id = excluded.launch_id,
                      credited_until = GREATEST(learner_clocks.credited_until, excluded.credited_until)
        """,
        user_id=user_id,
        launch_id=launch_id,
    )


async def set_studied_until(tx: Tx, user_id: UUID, until: datetime) -> None:
    """Changes a clock that this transaction has locked."""
    await tx.execute(
        """
        UPDATE learner_clocks SET studied_until = :until
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
        until=until,
    )
