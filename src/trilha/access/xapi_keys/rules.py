"""The format of a key and its secret: two random texts, of which only the secret is secret."""

import re
import secrets
import string

PREFIX = "trl_xapi_"
_BASE62 = string.digits + string.ascii_letters
_KEY = re.compile(rf"{PREFIX}[0-9A-Za-z]{{22}}")
_SECRET = re.compile(r"[0-9A-Za-z]{43}")


def generate_key() -> str:
    return PREFIX + _draw(22)


def generate_secret() -> str:
    """Returns a secret of more than 256 bits."""
    return _draw(43)


def _draw(length: int) -> str:
    return "".join(secrets.choice(_BASE62) for _ in range(length))


def is_well_formed(key: str, secret: str) -> bool:
    return _KEY.fullmatch(key) is not None and _SECRET.fullmatch(secret) is not None


def join(key: str, secret: str) -> str:
    """Returns the text whose fingerprint is stored."""
    return f"{key}:{secret}"
