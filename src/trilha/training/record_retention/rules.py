"""How long evidence is kept, and when its erasure is announced. No I/O, no clock."""

from datetime import datetime, timedelta

# Annex II of NR-1: two years after the end of the training's validity.
DEFAULT_YEARS = 2
MIN_YEARS, MAX_YEARS = 2, 50
# Without an end of validity, the time in which claims of employment lapse counts.
MIN_UNLIMITED_YEARS = 5
# Administrators have at least this long between the announcement and the erasure.
NOTICE = timedelta(days=30)
# What is over within this time is announced.
AHEAD = timedelta(days=45)


def plan_erasure(kept_until: datetime, now: datetime) -> datetime:
    """Returns when evidence is erased that is announced now."""
    return max(kept_until, now + NOTICE)
