"""Checks that the available master keys belong to a database, by texts sealed with its keys."""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

import asyncpg

from trilha.core.database.connection import Connection
from trilha.core.secrets import KEY_ID_BYTES, Keyring, UnreadableSecret

SELECT_KEYS = "SELECT sealed FROM master_keys ORDER BY number"
_DOES_NOT_OPEN = (
    "The master key does not open this database: put back all the keys it was used with (master.key in the "
    "data folder, or TRILHA_MASTER_KEY); a restored database needs the key of its backup."
)

_IS_NEW = (
    "This database does not know the newest master key yet: run `trilha migrate` with the same keys, once "
    "every process knows that key."
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
    sealed_keys = [row["sealed"] for row in await unscoped.rows(SELECT_KEYS)]
    _check(sealed_keys, keyring)
    if keyring.current not in map(_key_id, sealed_keys):
        raise MasterKeyError(_IS_NEW)


async def check_as_owner(owner: Any, keyring: Keyring) -> None:
    """Like `check`, for any version of the schema: earlier ones had only passwords derived from the key."""
    sealed_keys = await _load_sealed_keys(owner)
    _check(sealed_keys, keyring)
    if not sealed_keys and await owner.fetchval("SELECT to_regclass('database_logins')"):
        for role, verifier in await owner.fetch("SELECT role, verifier FROM database_logins"):
            if find_key_of_password(keyring, role, verifier) is None:
                raise MasterKeyError(_DOES_NOT_OPEN)


async def keep(owner: Any, keyring: Keyring) -> None:
    """Records the newest key if it is new to this database, and the keys of hashes.

    Older keys are recorded only in a database that knows no key yet: later, a key that encrypts nothing any
    more would have to be kept for ever.
    """
    known = [_key_id(sealed) for sealed in await _load_sealed_keys(owner)]
    for sealed in keyring.proofs():
        if _key_id(sealed) not in known and (not known or _key_id(sealed) == keyring.current):
            await owner.execute(
                "INSERT INTO master_keys SELECT COALESCE(max(number), 0) + 1, $1 FROM master_keys", sealed
            )
    if not await owner.fetchval("SELECT EXISTS (SELECT FROM hash_keys)"):
        sealed_hash_keys = keyring.seal_hash_keys(known[0] if known else keyring.ids[-1])
        await owner.executemany("INSERT INTO hash_keys VALUES ($1, $2)", list(sealed_hash_keys.items()))


async def load_hash_keys(pool: Any, keyring: Keyring) -> None:
    """Gives the keyring the keys of hashes. Raises MasterKeyError."""
    try:
        rows = await pool.fetch("SELECT purpose, sealed FROM hash_keys")
    except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError):
        return  # The schema is older; whoever goes on checks it.
    try:
        keyring.use_hash_keys({row["purpose"]: row["sealed"] for row in rows})
    except (UnreadableSecret, KeyError):
        raise MasterKeyError(_DOES_NOT_OPEN) from None


def find_key_of_password(keyring: Keyring, role: str, verifier: str) -> bytes | None:
    """Returns the id of the master key from which a login's password derives, or None."""
    passwords = keyring.database_passwords(role)
    return next((id for id, password in passwords.items() if _is_of(verifier, password)), None)


async def _load_sealed_keys(owner: Any) -> list[bytes]:
    if await owner.fetchval("SELECT to_regclass('master_keys')") is None:
        return []
    return [row["sealed"] for row in await owner.fetch(SELECT_KEYS)]


def _check(sealed_keys: Sequence[bytes], keyring: Keyring) -> None:
    if not keyring.proves(sealed_keys):
        raise MasterKeyError(_DOES_NOT_OPEN)


def _key_id(sealed: bytes) -> bytes:
    return sealed[:KEY_ID_BYTES]


def _is_of(verifier: str, password: str) -> bool:
    """Returns whether PostgreSQL's verifier (RFC 5803) belongs to this password."""
    _, salted_by, keys = verifier.split("$")
    iterations, _, salt = salted_by.partition(":")
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(salt), int(iterations))
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    return hmac.compare_digest(base64.b64encode(stored).decode(), keys.partition(":")[0])
