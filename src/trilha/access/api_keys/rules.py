"""The format of an API key: a prefix, 34 random base62 characters, and a CRC-32 checksum of six.

The checksum lets a secret scanner recognize a leaked key, and lets us tell a typing error from a guess.
"""

import secrets
import string
import zlib

_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def generate(prefix: str) -> str:
    body = prefix + "".join(secrets.choice(_BASE62) for _ in range(34))
    return body + _checksum(body)


def is_well_formed(key: str, prefix: str) -> bool:
    body, checksum = key[:-6], key[-6:]
    return key.startswith(prefix) and len(key) == len(prefix) + 40 and _checksum(body) == checksum


def hint(key: str, prefix: str) -> str:
    return f"{prefix}…{key[-4:]}"


def _checksum(text: str) -> str:
    number = zlib.crc32(text.encode())
    digits = ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = _BASE62[digit] + digits
    return digits
