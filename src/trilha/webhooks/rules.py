"""When a delivery is tried again, and what is kept of an answer. No I/O, no clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

# Seconds before the second and each further attempt.
DELAYS = (5, 30, 120, 600, 3_600, 21_600)
ATTEMPTS = len(DELAYS) + 1
# How long a delivery waits for an endpoint that is inactive.
LONGEST_HOLD = timedelta(days=7)
# Of a receiver's answer: what is kept, and what is read so that a secret across that end is seen whole.
BODY_BYTES = 16 * 1024
READ_BYTES = BODY_BYTES + 128
# Attempts in a delivery's log.
LOG_LENGTH = 50
_RETRY_AFTER_DIGITS = 9
# Failures in a row after which an endpoint is sent to one at a time.
_FAILURES_TO_ONE = 10


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


def in_flight_limits(most: int) -> list[int]:
    """How many attempts may be under way to an endpoint, by its failures in a row; the last is for more too.

    An endpoint that answers nothing holds a place for the whole time limit; soon it holds one alone.
    """
    return [max(1, most - most * failures // _FAILURES_TO_ONE) for failures in range(_FAILURES_TO_ONE + 1)]


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


def redact(body: bytes, secrets: Sequence[str]) -> str:
    """A receiver's answer as the history shows it: text that can be stored, its signing secrets as `***`.

    `body` is at most `READ_BYTES` long; at most `BODY_BYTES` are kept.
    """
    text = body.decode(errors="replace").replace("\x00", "\ufffd")
    for secret in secrets:
        bare = secret.removeprefix("whsec_")
        for form in (bare, bare.replace("/", "\\/")):  # the latter as some write JSON
            text = text.replace(form, "***")
    return text.encode()[:BODY_BYTES].decode(errors="ignore")
