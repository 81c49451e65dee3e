"""When a delivery is tried again, and what of an answer is kept. No I/O, no clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

# Seconds before the second and each further attempt.
DELAYS = (5, 30, 120, 600, 3_600, 21_600)
ATTEMPTS = len(DELAYS) + 1
GRACE = timedelta(hours=24)
HELD = timedelta(days=7)
BODY_BYTES = 16 * 1024
READ_BYTES = BODY_BYTES + 128
LOG_LENGTH = 50
_RETRY_AFTER_DIGITS = 9


def delay_after(attempts: int, chance: float, asked: float | None) -> float | None:
    """Seconds until the next attempt, or None when there is none.

    `attempts` have been made in this cycle, `chance` is random in [0, 1), `asked` are the receiver's seconds
    of `Retry-After`: they may lengthen a delay, up to the next step.
    """
    if attempts >= ATTEMPTS:
        return None
    step = DELAYS[attempts - 1]
    delay = step + chance * max(1.0, step * 0.04)
    longest = DELAYS[attempts] if attempts < len(DELAYS) else step
    return max(delay, min(asked or 0.0, longest))


def parse_retry_after(text: str | None, now: datetime) -> float | None:
    """Seconds, from seconds or a date (RFC 9110 §10.2.3). None where it says neither, or the past."""
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


def keepable(body: bytes, secrets: Sequence[str]) -> str:
    """A receiver's answer as the history shows it: text that can be stored, and no signing secret in it.

    Of more than `READ_BYTES` a secret could stand across the end, and only half of it be seen.
    """
    text = body.decode(errors="replace").replace("\x00", "\ufffd")
    for secret in secrets:
        bare = secret.removeprefix("whsec_")
        for form in (bare, bare.replace("/", "\\/")):  # the latter as some write JSON
            text = text.replace(form, "***")
    return text.encode()[:BODY_BYTES].decode(errors="ignore")
