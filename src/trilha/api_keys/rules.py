"""What an API key looks like: a prefix, 34 random base62 characters, 6 of CRC-32 over all before.

The checksum lets a scanner tell a leaked key from a look-alike, and us a typing slip from a guess.
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
