"""Counts the days on which a person studies, and reads the streak."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.learning.study_days import queries, rules
from trilha.training.learning.study_days.schema import DEFAULT_TIME_ZONE, Streak


async def count_completion(tx: Tx, user_id: UUID) -> None:
    """Counts today, because the person completes a module."""
    stored = await queries.lock_days(tx, user_id)
    if stored is not None:
        today = rules.find_day(tx.now, stored.time_zone or DEFAULT_TIME_ZONE)
        await queries.set_days(tx, user_id, rules.add_study(stored.days, today, 0.0, completes_module=True))


async def find_streak(tx: Tx, user_id: UUID, time_zone: str) -> Streak:
    """Returns the person's streak now, in the company's time zone."""
    days = await queries.find_days(tx, user_id)
    return rules.find_streak(days, rules.find_day(tx.now, time_zone)) if days else Streak()
