"""The format of a SCIM token: a prefix and 43 random base62 characters, more than 256 bits."""

import re
import secrets
import string

PREFIX = "trl_scim_"
_BASE62 = string.digits + string.ascii_letters
_FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{43}}")


def generate() -> str:
    return PREFIX + "".join(secrets.choice(_BASE62) for _ in range(43))


def is_well_formed(token: str) -> bool:
    return _FORM.fullmatch(token) is not None


def hint(token: str) -> str:
    """Returns enough of the token to recognize it, but not to use it."""
    return f"{PREFIX}…{token[-4:]}"
