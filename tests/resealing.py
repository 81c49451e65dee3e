"""Encrypts a tenant's values with a new master key, in a database whose other tenants keep the old one."""

from typing import Any

from conftest import World
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.resealing.columns import SealedColumn, count_by_key, reseal_batch
from trilha.core.secrets import Keyring

_OLD, _NEW = b"k" * 32, b"n" * 32


async def check_resealing(world: World, *columns: SealedColumn) -> None:
    """Checks that each column has values of this tenant, and that in the end the new key alone opens them."""
    both, new = Keyring([_NEW, _OLD]), Keyring([_NEW])
    database = Database(serving_urls(world.url, both), world.clock, both, size=1)
    await database.open()
    try:
        for column in columns:
            before = await _open_all(world, column, Keyring([_OLD]))
            assert before, column.kind
            async with database.transaction(world.tenant.id) as tx:
                batch = await reseal_batch(tx, column, None)
                assert (batch.count, batch.after) == (len(before), None), column.kind
                assert await count_by_key(tx, column) == {new.current: len(before)}
            assert await _open_all(world, column, new) == before
            async with database.transaction(world.tenant.id) as tx:
                assert (await reseal_batch(tx, column, None)).count == 0
    finally:
        await database.close()


async def _open_all(world: World, column: SealedColumn, keyring: Keyring) -> list[str]:
    async with world.tx() as tx:
        rows: list[Any] = list(
            await tx.rows(
                f"SELECT * FROM {column.table} WHERE tenant_id = :tenant AND {column.column} IS NOT NULL"
                f" ORDER BY {', '.join(column.keys)}"
            )
        )
    return [keyring.open(row[column.column], world.tenant.id, *column.context(row)) for row in rows]
