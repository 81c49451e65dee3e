"""Signs webhook deliveries, and verifies our signatures in a receiver.

`import trilha` loads this module, so it uses only a small part of the standard library.
"""

import binascii
import hmac
import os
import re
import time
from collections.abc import Sequence
from functools import lru_cache

_PREFIX = "whsec_"
# few enough digits for every language to represent exactly
_TIME = re.compile(r"[0-9]{1,12}")
_DIGEST = re.compile(r"[0-9A-Fa-f]{64}")


def generate_secret() -> str:
    """Generates a secret: `whsec_` and 32 random bytes in padded base64, as Standard Webhooks defines."""
    return _PREFIX + _base64(os.urandom(32))


def sign(secrets: Sequence[str], timestamp: int, body: bytes) -> str:
    """Returns `t=<unix seconds>,v1=<hex>`, with one `v1` for each secret. The current secret comes first.

    The signature is HMAC-SHA-256 of `<t>.<body>`. The key is the text of the secret including its prefix,
    so receivers need not decode it.
    """
    signed = b"%d." % timestamp
    return ",".join([f"t={timestamp}", *(f"v1={_digest(each, signed, body).hex()}" for each in secrets)])


def standard_signature(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> str:
    """Returns the `webhook-signature` of Standard Webhooks: `v1,<base64>` for each secret, separated by
    spaces.

    The signature is HMAC-SHA-256 of `<id>.<t>.<body>`. The key is the decoded base64 after `whsec_`.
    """
    signed = f"{message_id}.{timestamp}.".encode()
    return " ".join("v1," + _base64(_mac(_standard_key(each), signed, body)) for each in secrets)


def verify_signature(
    body: bytes,
    header: str | None,
    secret: str | Sequence[str],
    tolerance: int = 300,
    *,
    now: float | None = None,
) -> bool:
    """Returns whether the header signs this body with this secret, at most `tolerance` seconds from now.

    `body` is the raw request body, before parsing. `header` is the value of `X-Service-Signature`, or None if
    it is missing. With several `v1` or several secrets, one match is enough. `now` is in Unix seconds and
    defaults to the current time.

    Returns False, and never raises, for a malformed header. `t` must occur once, in decimal digits. There
    must be at least one `v1`, and each must have 64 hexadecimal digits in either case. Spaces around parts
    and unknown parts are ignored.
    """
    parts = [part.strip().partition("=") for part in (header or "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1"]
    if len(times) != 1 or not _TIME.fullmatch(times[0]) or not all(map(_DIGEST.fullmatch, signatures)):
        return False
    if not abs((time.time() if now is None else now) - int(times[0])) <= tolerance:
        return False
    secrets = [secret] if isinstance(secret, str) else secret
    # an empty secret, as from an unset variable, is known to everybody
    expected = [_digest(each, times[0].encode() + b".", body) for each in secrets if each]
    # Compare all of them, so that the time taken does not reveal which one matched.
    matches = [hmac.compare_digest(each, bytes.fromhex(v1)) for each in expected for v1 in signatures]
    return any(matches)


def _digest(secret: str, signed: bytes, body: bytes) -> bytes:
    return _mac(_text_key(secret), signed, body)


def _mac(key: hmac.HMAC, signed: bytes, body: bytes) -> bytes:
    mac = key.copy()
    mac.update(signed)
    mac.update(body)
    return mac.digest()


# Preparing a key takes longer than signing with it.
@lru_cache(4096)
def _text_key(secret: str) -> hmac.HMAC:
    return hmac.new(secret.encode(), digestmod="sha256")


@lru_cache(4096)
def _standard_key(secret: str) -> hmac.HMAC:
    return hmac.new(binascii.a2b_base64(secret.removeprefix(_PREFIX)), digestmod="sha256")


def _base64(raw: bytes) -> str:
    return binascii.b2a_base64(raw, newline=False).decode()
