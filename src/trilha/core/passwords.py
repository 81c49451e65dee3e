"""Passwords: hashed with Argon2id, beside the event loop, a few at a time.

A hash takes about 20 ms of one core and 19 MiB. It is made before a transaction begins: what waits for one
holds no connection.
"""

import asyncio
import os
import secrets
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from msgspec import Struct

from trilha.core.errors import InternalError

# Without 0 O 1 l I, which are mistaken for one another when passwords are read aloud or typed.
READABLE = "23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
# OWASP's second profile for Argon2id: 19 MiB, two passes, one lane.
PASSWORDS = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# One core stays free for requests that hash nothing. Who would wait for some seconds is sent away.
_HASHING = ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2), thread_name_prefix="passwords")
MOST_WAITING = 200


class HashedPassword(Struct, frozen=True):
    """`temporary` is the password itself where it was made here: shown once, changed at first sign-in."""

    hash: str
    temporary: str | None = None

    @property
    def must_change(self) -> bool:
        return self.temporary is not None


_waiting = 0


async def hash_password(password: str | None) -> HashedPassword:
    """Of None, a temporary password is made. Raises InternalError (unavailable) where too many wait."""
    global _waiting
    if _waiting >= MOST_WAITING:
        raise InternalError("unavailable", headers={"retry-after": "5"})
    temporary = generate_password() if password is None else None
    _waiting += 1
    try:
        loop = asyncio.get_running_loop()
        hashed = await loop.run_in_executor(_HASHING, _hash, password or temporary or "")
    finally:
        _waiting -= 1
    return HashedPassword(hashed, temporary)


def _hash(password: str) -> str:
    return PASSWORDS.hash(password)


def generate_password(length: int = 16) -> str:
    return "".join(secrets.choice(READABLE) for _ in range(length))
