"""Decides when to retry a delivery and what to store of a response. No I/O, no clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

# seconds before the second and each further attempt
DELAYS = (5, 30, 120, 600, 3_600, 21_600)
ATTEMPTS = len(DELAYS) + 1
# how long a delivery waits for an inactive endpoint
LONGEST_HOLD = timedelta(days=7)
# Bytes stored of a response, and bytes read. Reading more makes sure that a secret across the end is
# recognized.
BODY_BYTES = 16 * 1024
READ_BYTES = BODY_BYTES + 128
# attempts in a delivery's log
LOG_LENGTH = 50
_RETRY_AFTER_DIGITS = 9
# consecutive failures after which an endpoint gets one attempt at a time
_FAILURES_TO_ONE = 10


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


def in_flight_limits(limit: int) -> list[int]:
    """Returns the concurrent attempts allowed for an endpoint, indexed by its consecutive failures. The last
    value applies to all higher counts.

    An endpoint that does not respond occupies a slot for the whole time limit. It soon gets only one.
    """
    return [max(1, limit - limit * failures // _FAILURES_TO_ONE) for failures in range(_FAILURES_TO_ONE + 1)]


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


def redact(body: bytes, secrets: Sequence[str]) -> str:
    """Prepares a response for the history: replaces the signing secrets by `***` and removes characters that
    cannot be stored.

    `body` has at most `READ_BYTES`; at most `BODY_BYTES` are kept.
    """
    text = body.decode(errors="replace").replace("\x00", "\ufffd")
    for secret in secrets:
        bare = secret.removeprefix("whsec_")
        for form in (bare, bare.replace("/", "\\/")):  # some JSON encoders escape the slash
            text = text.replace(form, "***")
    return text.encode()[:BODY_BYTES].decode(errors="ignore")
