"""The days on which a person studies."""

from datetime import date

from msgspec import Struct

DEFAULT_TIME_ZONE = "America/Sao_Paulo"


class StudyDays(Struct, frozen=True):
    """A person's days of study, in the company's time zone.

    `study_seconds` were earned on `study_day`. `streak` days in a row count, and `streak_day` is the last of
    them.
    """

    study_day: date | None = None
    study_seconds: float = 0.0
    streak_day: date | None = None
    streak: int = 0


class Streak(Struct, frozen=True):
    """The days in a row that count now, 0 if the streak is broken. `today`: today counts already."""

    days: int = 0
    today: bool = False
