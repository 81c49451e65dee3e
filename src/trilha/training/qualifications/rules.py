"""Decides when a qualification is valid, and when its person is told that it expires. No I/O, no clock."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from trilha.core.text_keys import build_text_key
from trilha.core.types import Timestamp

# Days before the last one on which the person gets an e-mail.
NOTICES = (30, 7)
_MAX_TITLE_KEY = 500  # characters
SOON = timedelta(days=NOTICES[0])


def build_title_key(title: str) -> str:
    """Returns one key for all spellings of a title."""
    return build_text_key(title, _MAX_TITLE_KEY)


def plan_notice(valid_until: str | None, now: datetime, zone: ZoneInfo) -> datetime | None:
    """Returns when the person is told next that a qualification expires; None if never.

    A qualification that is entered later than its first notice is announced at once, unless it has expired.
    """
    if valid_until is None:
        return None
    today, last = now.astimezone(zone).date(), date.fromisoformat(valid_until)
    if last < today:
        return None
    begun = [days for days in NOTICES if last - timedelta(days=days) <= today]
    return now if begun else _begin(last - SOON, zone)


def plan_following_notice(valid_until: str, now: datetime, zone: ZoneInfo) -> datetime | None:
    """Returns when the person is told again, after a notice."""
    today, last = now.astimezone(zone).date(), date.fromisoformat(valid_until)
    ahead = [day for days in NOTICES if (day := last - timedelta(days=days)) > today]
    return _begin(min(ahead), zone) if ahead else None


def begin_day(day: str, zone: ZoneInfo) -> Timestamp:
    return Timestamp.of(_begin(date.fromisoformat(day), zone))


def _begin(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)
