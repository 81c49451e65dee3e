"""Months of usage, which begin at midnight UTC."""

from datetime import UTC, date, datetime, timedelta


def find_month(moment: datetime) -> date:
    """Returns the first day of the month."""
    return moment.astimezone(UTC).date().replace(day=1)


def find_next_month(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def start_of(month: date) -> datetime:
    return datetime(month.year, month.month, 1, tzinfo=UTC)


def count_remaining_seconds(moment: datetime) -> int:
    """Returns whole seconds until the next month, at least 1."""
    return int((start_of(find_next_month(find_month(moment))) - moment).total_seconds()) + 1
