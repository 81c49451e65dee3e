"""Encrypts the values of columns again with the newest master key, a batch of rows at a time.

Rows say what is left, because each ciphertext begins with the id of its master key. So the work
can be interrupted anywhere and continued later.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.secrets import KEY_ID_BYTES, Keyring, UnreadableSecret

# Rows are locked while a batch is encrypted and written, for some milliseconds.
_BATCH = 200


class SealedColumn(Struct, frozen=True):
    """A column of ciphertexts in a table of tenants.

    `keys` are the columns of the primary key after `tenant_id`, with their types. `context` returns what a
    row's value is bound to besides the tenant; it may read `also`.
    """

    kind: str
    table: str
    column: str
    keys: Mapping[str, str]
    context: Callable[[Any], tuple[object, ...]]
    also: tuple[str, ...] = ()


class InstallationColumn(Struct, frozen=True):
    """A column of ciphertexts in a small table that belongs to no tenant, which only the owner changes."""

    kind: str
    table: str
    column: str
    key: str
    context: Callable[[Any], tuple[object, ...]]


class ResealedBatch(Struct, frozen=True):
    """The result of one batch: how many values were encrypted again, and the last key that was read, or None
    at the end of the table.
    """

    count: int
    after: tuple[Any, ...] | None


async def count_by_key(tx: Tx, sealed: SealedColumn) -> Mapping[bytes, int]:
    """Counts a tenant's values by the id of their master key."""
    rows = await tx.rows(f"{_count(sealed)} AND tenant_id = :tenant GROUP BY 1")
    return {row["key"]: row["count"] for row in rows}


async def count_in_installation(owner: Any, sealed: InstallationColumn) -> Mapping[bytes, int]:
    """Counts the values by the id of their master key, as the database's owner."""
    return {row["key"]: row["count"] for row in await owner.fetch(f"{_count(sealed)} GROUP BY 1")}


def _count(sealed: SealedColumn | InstallationColumn) -> str:
    return f"""
        SELECT substr({sealed.column}, 1, {KEY_ID_BYTES}) AS key, count(*) AS count FROM {sealed.table}
        WHERE {sealed.column} IS NOT NULL"""  # noqa: S608


async def reseal_batch(tx: Tx, sealed: SealedColumn, after: tuple[Any, ...] | None) -> ResealedBatch:
    """Encrypts the next values of older keys again, in the order of the primary key.

    Rows that another transaction is changing are left for the next pass, so that nobody waits and no two
    transactions block each other. Values that do not open stay as they are.
    """
    older = [key for key in tx.keyring.ids if key != tx.keyring.current]
    rows = await tx.rows(_select(sealed, after), older=older, limit=_BATCH, **_after(sealed, after))
    resealed = [(row, value) for row in rows if (value := _reseal(tx, sealed, row)) is not None]
    if resealed:
        names = ", ".join(f"{name}s" for name in sealed.keys)
        arrays = ", ".join(f":{name}s::{type}[]" for name, type in sealed.keys.items())
        same = " AND ".join(f"stored.{name} = new.{name}s" for name in sealed.keys)
        await tx.execute(
            f"""
            UPDATE {sealed.table} AS stored SET {sealed.column} = new.value
            FROM unnest({arrays}, :values::bytea[]) AS new ({names}, value)
            WHERE stored.tenant_id = :tenant AND {same}
            """,  # noqa: S608
            values=[value for _, value in resealed],
            **{f"{name}s": [row[name] for row, _ in resealed] for name in sealed.keys},
        )
    last = tuple(rows[-1][name] for name in sealed.keys) if len(rows) == _BATCH else None
    return ResealedBatch(len(resealed), last)


async def reseal_in_installation(owner: Any, keyring: Keyring, sealed: InstallationColumn) -> None:
    """Encrypts all values of a small table again, in the transaction of the database's owner.

    Raises UnreadableSecret.
    """
    for row in await owner.fetch(f"SELECT * FROM {sealed.table} FOR NO KEY UPDATE"):  # noqa: S608
        if row[sealed.column][:KEY_ID_BYTES] == keyring.current:
            continue
        context = sealed.context(row)
        await owner.execute(
            f"UPDATE {sealed.table} SET {sealed.column} = $1 WHERE {sealed.key} = $2",  # noqa: S608
            *(keyring.seal(keyring.open(row[sealed.column], *context), *context), row[sealed.key]),
        )


def _reseal(tx: Tx, sealed: SealedColumn, row: Any) -> bytes | None:
    """Returns None for a value that does not open."""
    context = (tx.tenant_id, *sealed.context(row))
    try:
        return tx.keyring.seal(tx.keyring.open(row[sealed.column], *context), *context)
    except UnreadableSecret:
        return None


def _select(sealed: SealedColumn, after: tuple[Any, ...] | None) -> str:
    keys = ", ".join(sealed.keys)
    columns = ", ".join(dict.fromkeys((*sealed.keys, sealed.column, *sealed.also)))
    place = f"AND ({keys}) > ({', '.join(f':after_{name}' for name in sealed.keys)})" if after else ""
    return f"""
        SELECT {columns} FROM {sealed.table}
        WHERE tenant_id = :tenant AND {sealed.column} IS NOT NULL
              AND substr({sealed.column}, 1, {KEY_ID_BYTES}) = ANY(:older::bytea[]) {place}
        ORDER BY {keys} LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
        """  # noqa: S608


def _after(sealed: SealedColumn, after: tuple[Any, ...] | None) -> dict[str, Any]:
    return {f"after_{name}": value for name, value in zip(sealed.keys, after or (), strict=False)}
