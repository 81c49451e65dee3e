"""Checks that the available master keys belong to a database, by texts sealed with its keys."""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

import asyncpg

from trilha.core.database.connection import Connection
from trilha.core.secrets import Keyring

_SELECT_KEYS = "SELECT sealed FROM master_keys ORDER BY number"
_DOES_NOT_OPEN = (
    "The master key does not open this database: put back all the keys it was used with (master.key in the "
    "data folder, or TRILHA_MASTER_KEY); a restored database needs the key of its backup."
)


class MasterKeyError(RuntimeError):
    """The database was sealed with another master key. The message is one sentence."""


async def is_new(url: str) -> bool:
    """Returns whether the owner's database is empty, so that a master key may be created for it."""
    connection = await asyncpg.connect(url)
    try:
        if await connection.fetchval("SELECT to_regclass('schema_migrations')") is None:
            return True
        return not await connection.fetchval("SELECT EXISTS (SELECT FROM schema_migrations)")
    finally:
        await connection.close()


async def check(unscoped: Connection, keyring: Keyring) -> None:
    """Raises MasterKeyError. For serving processes, whose schema is up to date."""
    _check([row["sealed"] for row in await unscoped.rows(_SELECT_KEYS)], keyring)


async def check_as_owner(owner: Any, keyring: Keyring) -> None:
    """Like `check`, for any version of the schema: earlier ones had only passwords derived from the key."""
    sealed_keys = await _load_sealed_keys(owner)
    _check(sealed_keys, keyring)
    if not sealed_keys and await owner.fetchval("SELECT to_regclass('database_logins')"):
        for role, verifier in await owner.fetch("SELECT role, verifier FROM database_logins"):
            if not _is_of(verifier, keyring.database_password(role)):
                raise MasterKeyError(_DOES_NOT_OPEN)


async def keep(owner: Any, keyring: Keyring) -> None:
    """Records the keys that are new to this database, oldest first."""
    known = {sealed[:4] for sealed in await _load_sealed_keys(owner)}
    for sealed in keyring.proofs():
        if sealed[:4] not in known:
            await owner.execute(
                "INSERT INTO master_keys SELECT COALESCE(max(number), 0) + 1, $1 FROM master_keys", sealed
            )


async def _load_sealed_keys(owner: Any) -> list[bytes]:
    if await owner.fetchval("SELECT to_regclass('master_keys')") is None:
        return []
    return [row["sealed"] for row in await owner.fetch(_SELECT_KEYS)]


def _check(sealed_keys: Sequence[bytes], keyring: Keyring) -> None:
    if not keyring.proves(sealed_keys):
        raise MasterKeyError(_DOES_NOT_OPEN)


def _is_of(verifier: str, password: str) -> bool:
    """Returns whether PostgreSQL's verifier (RFC 5803) belongs to this password."""
    _, salted_by, keys = verifier.split("$")
    iterations, _, salt = salted_by.partition(":")
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(salt), int(iterations))
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    return hmac.compare_digest(base64.b64encode(stored).decode(), keys.partition(":")[0])
