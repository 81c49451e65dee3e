"""The form of a feed's token: 256 random bits. We store only its hash."""

import hashlib
import re
import secrets

_FORM = re.compile(r"[0-9A-Za-z_-]{43}")


def generate_token() -> str:
    return secrets.token_urlsafe(32)


def compute_digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def is_well_formed(token: str) -> bool:
    return _FORM.fullmatch(token) is not None
