"""The signatures of webhook deliveries, and how a receiver checks ours.

`import trilha` loads this module, so it rests on nothing but a little of the standard library.
"""

import binascii
import hmac
import os
import re
import time
from collections.abc import Sequence
from functools import lru_cache

_PREFIX = "whsec_"
# No more digits than every language holds exactly.
_TIME = re.compile(r"[0-9]{1,12}")
_DIGEST = re.compile(r"[0-9A-Fa-f]{64}")


def generate_secret() -> str:
    """`whsec_` and 32 random bytes in padded base64, as Standard Webhooks has it."""
    return _PREFIX + _base64(os.urandom(32))


def sign(secrets: Sequence[str], timestamp: int, body: bytes) -> str:
    """`t=<unix seconds>,v1=<hex>`, with a v1 for each secret, in their order: the current one first.

    HMAC-SHA-256 of `<t>.<body>`. The key is the secret's text as it is shown, prefix included, so that a
    receiver has nothing to decode.
    """
    signed = b"%d." % timestamp
    return ",".join([f"t={timestamp}", *(f"v1={_digest(each, signed, body).hex()}" for each in secrets)])


def standard_signature(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The `webhook-signature` of Standard Webhooks: `v1,<base64>` for each secret, apart by a space.

    HMAC-SHA-256 of `<id>.<t>.<body>`. The key is what the base64 after `whsec_` stands for.
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
    """Whether the header was made of this body with this secret, at most `tolerance` seconds from now.

    `body` is what arrived, byte by byte, before anything parsed it. `header` is the value of
    `X-Service-Signature`, None where there was none. Of several v1, and of several secrets, one match is
    enough. `now` is in unix seconds, the clock's if unsaid.

    False, and never an exception, for whatever a sender may put into the header: t must be there once and
    in decimal digits, each v1 must be 64 hexadecimal digits, in either case, and there must be one. Spaces
    around a part and parts of other names are passed over.
    """
    parts = [part.strip().partition("=") for part in (header or "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    given = [value for name, _, value in parts if name == "v1"]
    if len(times) != 1 or not _TIME.fullmatch(times[0]) or not all(map(_DIGEST.fullmatch, given)):
        return False
    if not abs((time.time() if now is None else now) - int(times[0])) <= tolerance:
        return False
    secrets = [secret] if isinstance(secret, str) else secret
    # An empty secret, as of a variable that is not set, is one that everybody knows.
    expected = [_digest(each, times[0].encode() + b".", body) for each in secrets if each]
    # All are compared: the time taken does not tell which one matched.
    matches = [hmac.compare_digest(each, bytes.fromhex(v1)) for each in expected for v1 in given]
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
