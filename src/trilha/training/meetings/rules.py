"""Decides when a request for a link is tried again. No I/O, no clock."""

from datetime import datetime, timedelta

# before the second and each further attempt
DELAYS = tuple(timedelta(seconds=each) for each in (10, 60, 600, 3600, 21_600))
# Reasons that the next attempt would not change, because a person has to.
FINAL = frozenset({"refused", "not_permitted", "organizer_unknown", "address_not_allowed", "service_missing"})


def find_next_attempt(now: datetime, attempts: int, reason: str) -> datetime | None:
    """Returns when to try again after so many attempts, or None if it is given up."""
    if reason in FINAL or attempts > len(DELAYS):
        return None
    return now + DELAYS[attempts - 1]
