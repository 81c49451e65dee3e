"""Hashes passwords with Argon2id, outside the event loop, a few at a time.

A hash takes about 20 ms of one core and 19 MiB. Compute it before the transaction begins, so that no
connection waits. Tenants take turns, so that one that creates thousands of people does not delay others.
"""

import asyncio
import os
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from msgspec import Struct

from trilha.core.errors import InternalError
from trilha.core.priority import yield_thread
from trilha.core.turns import Turns

T = TypeVar("T")
# without 0 O 1 l I, which are confused when passwords are read aloud or typed
READABLE = "23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
# OWASP's second profile for Argon2id: 19 MiB, two passes, one lane.
PASSWORDS = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# One core stays free for other requests. Requests that would wait for some seconds are refused.
_AT_A_TIME = max(1, (os.cpu_count() or 2) // 2)
_HASHING = ThreadPoolExecutor(_AT_A_TIME, "passwords", initializer=yield_thread)
_TURNS = Turns(_AT_A_TIME, _AT_A_TIME, rests=True)
MAX_WAITING = 200  # of one tenant


class HashedPassword(Struct, frozen=True):
    """A hash. `temporary` is the password itself if it was generated: it is displayed once and changed at
    the first sign-in.
    """

    hash: str
    temporary: str | None = None

    @property
    def must_change(self) -> bool:
        return self.temporary is not None


async def hash_password(password: str | None, tenant_id: UUID | None = None) -> HashedPassword:
    """Hashes a password, or generates a temporary one for None. Raises InternalError (unavailable) if too
    many wait.
    """
    temporary = generate_password() if password is None else None
    hashed = await _in_turn(tenant_id, _hash, password or temporary or "")
    return HashedPassword(hashed, temporary)


async def is_password(password: str, hash: str | None, tenant_id: UUID | None = None) -> bool:
    """Verifies a password. Without a hash it takes the same time and returns False.

    Raises InternalError (unavailable) if too many wait.
    """
    return await _in_turn(tenant_id, _verify, hash or _nobodys_hash(PASSWORDS), password) and hash is not None


async def _in_turn(tenant_id: UUID | None, work: Callable[..., T], *arguments: str) -> T:
    if _TURNS.count_places(tenant_id) >= MAX_WAITING:
        raise InternalError("unavailable", headers={"retry-after": "5"})
    async with _TURNS.turn(tenant_id):
        return await asyncio.get_running_loop().run_in_executor(_HASHING, work, *arguments)


def _hash(password: str) -> str:
    return PASSWORDS.hash(password)


def _verify(hash: str, password: str) -> bool:
    try:
        return PASSWORDS.verify(hash, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys_hash(hasher: PasswordHasher) -> str:
    return hasher.hash(generate_password())


def generate_password(length: int = 16) -> str:
    return "".join(secrets.choice(READABLE) for _ in range(length))
