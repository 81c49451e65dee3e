"""The SQL of days of study, which are stored on a person's clock."""

from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx, columns_of, structs_of
from trilha.training.learning.study_days.schema import StudyDays

_DAYS = columns_of(StudyDays)


class StoredDays(Struct, frozen=True):
    """A person's days, and the company's time zone when the person last opened a module."""

    days: StudyDays
    time_zone: str | None


async def find_days(tx: Tx, user_id: UUID) -> StudyDays | None:
    return await tx.find(
        StudyDays,
        f"SELECT {_DAYS} FROM learner_clocks WHERE tenant_id = :tenant AND user_id = :user_id",  # noqa: S608
        user_id=user_id,
    )


async def lock_days(tx: Tx, user_id: UUID) -> StoredDays | None:
    """Locks a person's clock. Returns None if the person has never opened a module."""
    rows = await tx.rows(
        f"""
        SELECT {_DAYS}, time_zone FROM learner_clocks
        WHERE tenant_id = :tenant AND user_id = :user_id FOR UPDATE
        """,  # noqa: S608
        user_id=user_id,
    )
    return StoredDays(structs_of(StudyDays, rows)[0], rows[0]["time_zone"]) if rows else None


async def set_days(tx: Tx, user_id: UUID, days: StudyDays) -> None:
    """Stores the days of a person whose clock is locked."""
    await tx.execute(
        """
        UPDATE learner_clocks SET study_day = :study_day, study_seconds = :study_seconds,
                                  streak_day = :streak_day, streak = :streak
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
        **structs.asdict(days),
    )
