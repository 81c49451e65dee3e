"""The SQL of learners' clocks: until when the time of each person is credited."""

from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx
from trilha.learning.launches.schema import LearnerClock


async def lock_clock(tx: Tx, user_id: UUID) -> LearnerClock | None:
    """By which launch this person was last credited."""
    rows = await tx.rows(
        """
        SELECT launch_id, credited_until, studied_until FROM learner_clocks
        WHERE tenant_id = :tenant AND user_id = :user_id FOR UPDATE
        """,
        user_id=user_id,
    )
    if not rows:
        return None
    until, studied = rows[0]["credited_until"], rows[0]["studied_until"]
    return LearnerClock(
        rows[0]["launch_id"],
        datetime.fromisoformat(until),
        datetime.fromisoformat(studied) if studied else None,
    )


async def set_credited_until(tx: Tx, user_id: UUID, launch_id: UUID) -> None:
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
    """Of a clock that is locked by this transaction."""
    await tx.execute(
        """
        UPDATE learner_clocks SET studied_until = :until
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
        until=until,
    )
