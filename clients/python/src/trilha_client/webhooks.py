"""Verifies the signatures of webhook deliveries.

event = webhooks.parse(body, headers["X-Service-Signature"], secret)
if event["type"] == "enrollment.completed":
    print(event["data"]["user_id"])
"""

from __future__ import annotations

import hmac
import json
import re
import time
from collections.abc import Sequence
from typing import cast

from trilha_client.errors import TrilhaError
from trilha_client.models import Event

# Few enough digits for every language to represent exactly.
_TIME = re.compile(r"[0-9]{1,12}")
_DIGEST = re.compile(r"[0-9A-Fa-f]{64}")


class SignatureError(TrilhaError):
    """The delivery is not from Trilha, was changed, or is too old. Answer 400."""


def parse(
    body: bytes,
    signature: str | None,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Event:
    """Returns the event of a delivery. Raises SignatureError if `verify` refuses it."""
    if not verify(body, signature, secret, tolerance=tolerance, now=now):
        raise SignatureError("The signature of this delivery is not valid.")
    return cast(Event, json.loads(body))


def verify(
    body: bytes,
    signature: str | None,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> bool:
    """Returns whether the signature is of this body and secret, at most `tolerance` seconds from now.

    `body` is the raw body of the request, before parsing. `signature` is the header `X-Service-Signature`.
    After a rotation it has several signatures: one match is enough. `secret` may be several secrets. `now` is
    in Unix seconds. A malformed header never raises.
    """
    parts = [part.strip().partition("=") for part in (signature or "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    digests = [value for name, _, value in parts if name == "v1"]
    if len(times) != 1 or not _TIME.fullmatch(times[0]) or not all(map(_DIGEST.fullmatch, digests)):
        return False
    if not abs((time.time() if now is None else now) - int(times[0])) <= tolerance:
        return False
    message = times[0].encode() + b"." + body
    # An empty secret, as from an unset variable, is known to everybody.
    secrets = [each for each in ([secret] if isinstance(secret, str) else secret) if each]
    expected = [hmac.digest(each.encode(), message, "sha256") for each in secrets]
    # Compare all of them, so that the time taken does not reveal which one matched.
    matches = [hmac.compare_digest(each, bytes.fromhex(digest)) for each in expected for digest in digests]
    return any(matches)
