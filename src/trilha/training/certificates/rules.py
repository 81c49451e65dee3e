"""The status, notifications and code of a certificate. No I/O, no clock."""

import re
import secrets
from datetime import datetime, timedelta
from typing import Literal

from trilha.core.types import Timestamp

CertificateStatus = Literal["VALID", "EXPIRED", "REVOKED"]
# The notices about a certificate, in this order.
Notice = Literal["ISSUED", "EXPIRING", "EXPIRED"]
# How long before the expiration the holder is notified.
EXPIRING = timedelta(days=30)
# Crockford's base 32: no I, L, O, U.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_BYTES = 10
_CODE_LENGTH = 16
_LOOKALIKES = str.maketrans("OIL", "011")
_BETWEEN = re.compile(r"[\s-]")
# The displayed code, with room for separators that people type.
_LONGEST = 64


def new_code() -> str:
    """Returns 16 characters with 80 random bits: impossible to guess, and practically unique."""
    number = int.from_bytes(secrets.token_bytes(CODE_BYTES))
    return "".join(ALPHABET[number >> shift & 31] for shift in range(75, -1, -5))


def parse_code(text: str) -> str | None:
    """Parses a code as typed: in any case, with spaces and hyphens, O for 0, I or L for 1."""
    if len(text) > _LONGEST:
        return None
    code = _BETWEEN.sub("", text).upper().translate(_LOOKALIKES)
    return code if len(code) == _CODE_LENGTH and set(code) <= set(ALPHABET) else None


def format_code(code: str) -> str:
    """Formats a code as `XXXX-XXXX-XXXX-XXXX`."""
    return "-".join(code[start : start + 4] for start in range(0, _CODE_LENGTH, 4))


def status_of(
    revoked_at: Timestamp | None, expires_at: Timestamp | None, now: Timestamp
) -> CertificateStatus:
    """Returns the status. A replaced certificate is revoked; one expires exactly at `expires_at`."""
    if revoked_at is not None:
        return "REVOKED"
    return "EXPIRED" if expires_at is not None and expires_at <= now else "VALID"


def next_notice(last_notice: Notice, expires_at: Timestamp | None) -> tuple[Notice | None, Timestamp | None]:
    """Returns the notification that follows, and when it is due, possibly already; None if none follows."""
    if expires_at is None or last_notice == "EXPIRED":
        return None, None
    if last_notice == "ISSUED":
        return "EXPIRING", Timestamp.of(datetime.fromisoformat(expires_at) - EXPIRING)
    return "EXPIRED", expires_at
