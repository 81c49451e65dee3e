"""Decides which days count as days of study. No I/O, no clock."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import structs

from trilha.core.clock import in_zone
from trilha.training.learning.study_days.schema import Streak, StudyDays

# A day counts once a module was completed or this much study time was earned on it.
SECONDS_OF_A_DAY = 300
_ONE_DAY = timedelta(days=1)


def find_day(moment: datetime, time_zone: str) -> date:
    """Returns the date of a time in this time zone."""
    return in_zone(moment, ZoneInfo(time_zone)).date()


def add_study(days: StudyDays, today: date, seconds: float, *, completes_module: bool = False) -> StudyDays:
    """Adds seconds that were earned today, and counts the day if they are enough or a module is completed."""
    studied = seconds + (days.study_seconds if days.study_day == today else 0.0)
    days = structs.replace(days, study_day=today, study_seconds=studied)
    is_counted = days.streak_day is not None and days.streak_day >= today
    if is_counted or not (completes_module or studied >= SECONDS_OF_A_DAY):
        return days
    goes_on = days.streak_day == today - _ONE_DAY
    return structs.replace(days, streak_day=today, streak=days.streak + 1 if goes_on else 1)


def find_streak(days: StudyDays, today: date) -> Streak:
    """Returns the streak as of today. It breaks when a whole day has passed without study."""
    if days.streak_day is None or days.streak_day < today - _ONE_DAY:
        return Streak()
    return Streak(days.streak, days.streak_day >= today)
