"""Limits of deliveries and of what is stored of a response. No I/O, no clock."""

from collections.abc import Sequence
from datetime import timedelta

# how long a delivery waits for an inactive endpoint
LONGEST_HOLD = timedelta(days=7)
# Bytes stored of a response, and bytes read. Reading more makes sure that a secret across the end is
# recognized.
BODY_BYTES = 16 * 1024
READ_BYTES = BODY_BYTES + 128
# attempts in a delivery's log
LOG_LENGTH = 50
# consecutive failures after which an endpoint gets one attempt at a time
_FAILURES_TO_ONE = 10


def in_flight_limits(limit: int) -> list[int]:
    """Returns the concurrent attempts allowed for an endpoint, indexed by its consecutive failures. The last
    value applies to all higher counts.

    An endpoint that does not respond occupies a slot for the whole time limit. It soon gets only one.
    """
    return [max(1, limit - limit * failures // _FAILURES_TO_ONE) for failures in range(_FAILURES_TO_ONE + 1)]


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
