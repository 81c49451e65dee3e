"""Which days count as days of study."""

from datetime import UTC, date, datetime

from trilha.training.learning.study_days.rules import add_study, find_day, find_streak
from trilha.training.learning.study_days.schema import Streak, StudyDays

MONDAY, TUESDAY, THURSDAY = date(2026, 11, 2), date(2026, 11, 3), date(2026, 11, 5)


def test_a_day_counts_after_five_minutes() -> None:
    days = add_study(StudyDays(), MONDAY, 299)
    assert find_streak(days, MONDAY) == Streak(0)
    assert find_streak(add_study(days, MONDAY, 1), MONDAY) == Streak(1, today=True)
    # Seconds of yesterday are not added to those of today.
    assert find_streak(add_study(days, TUESDAY, 299), TUESDAY) == Streak(0)


def test_a_completed_module_counts_at_once_and_only_once() -> None:
    days = add_study(StudyDays(), MONDAY, 0, completes_module=True)
    days = add_study(days, MONDAY, 1000, completes_module=True)
    assert days.streak == 1


def test_a_streak_grows_by_days_and_breaks_after_a_whole_day() -> None:
    days = add_study(StudyDays(), MONDAY, 300)
    assert find_streak(days, TUESDAY) == Streak(1, today=False)
    days = add_study(days, TUESDAY, 300)
    assert find_streak(days, TUESDAY) == Streak(2, today=True)
    assert find_streak(days, THURSDAY) == Streak(0)
    assert add_study(days, THURSDAY, 300).streak == 1


def test_a_clock_that_was_set_back_adds_nothing() -> None:
    days = add_study(StudyDays(), TUESDAY, 300)
    assert add_study(days, MONDAY, 300).streak == 1


def test_the_day_is_that_of_the_companys_time_zone() -> None:
    moment = datetime(2026, 11, 3, 2, 30, tzinfo=UTC)
    assert find_day(moment, "America/Sao_Paulo") == MONDAY
    assert find_day(moment, "Europe/Lisbon") == TUESDAY
