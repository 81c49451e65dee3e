"""Decides how long completions are valid, and from when a course may be taken again. No I/O, no clock.

Days and months are those of the company's time zone. An end of None means for good.
"""

import calendar
from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

# The renewal window where no requirement sets another one.
DEFAULT_WINDOW_DAYS = 60
_LAST_YEAR = 9990


class Terms(Struct, frozen=True):
    """How long completions of a course are valid for one person, and how long before the end the person may
    take the course again.
    """

    months: int | None
    window_days: int
    zone: ZoneInfo


def add_months(moment: datetime, months: int, zone: ZoneInfo) -> datetime:
    """Returns the same day and time this many months later; in a shorter month, its last day."""
    local = moment.astimezone(zone).replace(tzinfo=None)
    years, month = divmod(local.month - 1 + months, 12)
    year = min(local.year + years, _LAST_YEAR)
    day = min(local.day, calendar.monthrange(year, month + 1)[1])
    return _from_local(local.replace(year=year, month=month + 1, day=day), zone)


def add_days(moment: datetime, days: int, zone: ZoneInfo) -> datetime:
    """Returns the same time of day this many days later, or earlier if negative."""
    return _from_local(moment.astimezone(zone).replace(tzinfo=None) + timedelta(days=days), zone)


def _from_local(local: datetime, zone: ZoneInfo) -> datetime:
    return local.replace(tzinfo=zone).astimezone(ZoneInfo("UTC"))


def compute_opening(end: datetime, terms: Terms) -> datetime:
    """Returns when the renewal window of a validity opens."""
    return add_days(end, -terms.window_days, terms.zone)


def compute_end(completions: Iterable[datetime], terms: Terms) -> datetime | None:
    """Returns until when completions, at least one and in order, are valid together.

    A completion inside the window adds the months to the old end, so that nobody loses days by renewing
    early. Any other one is valid from its own day, but never shortens what the person already has.
    """
    if terms.months is None:
        return None
    end: datetime | None = None
    for completed_at in completions:
        own_end = add_months(completed_at, terms.months, terms.zone)
        if end is None:
            end = own_end
        elif compute_opening(end, terms) <= completed_at <= end:
            end = add_months(end, terms.months, terms.zone)
        else:
            end = max(end, own_end)
    return end
