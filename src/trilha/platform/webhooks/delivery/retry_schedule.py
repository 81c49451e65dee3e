"""When a failed delivery is retried. No I/O, no clock."""

from datetime import datetime
from email.utils import parsedate_to_datetime

# seconds before the second and each further attempt
DELAYS = (5, 30, 120, 600, 3_600, 21_600)
ATTEMPTS = len(DELAYS) + 1
_RETRY_AFTER_DIGITS = 9


def delay_after(attempts: int, chance: float, retry_after: float | None) -> float | None:
    """Returns the seconds until the next attempt, or None if there is none.

    `attempts` is the number of attempts in this cycle, `chance` is random in [0, 1), and `retry_after` is
    the receiver's `Retry-After` in seconds. It can lengthen a delay, up to the next step.
    """
    if attempts >= ATTEMPTS:
        return None
    step = DELAYS[attempts - 1]
    delay = step + chance * max(1.0, step * 0.04)
    longest = DELAYS[attempts] if attempts < len(DELAYS) else step
    return max(delay, min(retry_after or 0.0, longest))


def parse_retry_after(text: str | None, now: datetime) -> float | None:
    """Parses `Retry-After` as seconds or a date (RFC 9110 §10.2.3). Returns None for other text and for
    past dates.
    """
    if not text:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(text[:_RETRY_AFTER_DIGITS])
    try:
        seconds = (parsedate_to_datetime(text) - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return seconds if seconds > 0 else None
