"""The plans behind the pages: what PostgreSQL reads for page 1 and for page 1,000 of a million rows."""

import asyncio

import asyncpg

from bench.world import LARGE, TENANT, make_world, server
from trilha.core.database.transactions import APP_ROLE

PAGE = 20
LISTS = {
    "users": "SELECT * FROM users WHERE tenant_id = $1",
    "enrollments": "SELECT * FROM enrollments WHERE tenant_id = $1",
    "certificates": "SELECT * FROM certificates WHERE tenant_id = $1",
}


def main() -> None:
    with server() as (folder, url):
        asyncio.run(_explain(make_world(folder, url, LARGE).url))


async def _explain(url: str) -> None:
    connection = await asyncpg.connect(url, server_settings={"role": APP_ROLE})
    async with connection.transaction():
        await connection.execute(f"SET LOCAL trilha.tenant = '{TENANT}'")
        for table, select in LISTS.items():
            order = f"ORDER BY created_at DESC, id DESC LIMIT {PAGE + 1}"
            last = await connection.fetchrow(
                f"{select} ORDER BY created_at DESC, id DESC OFFSET {999 * PAGE - 1} LIMIT 1", TENANT
            )
            await _show(connection, f"{table}, page 1", f"{select} {order}", TENANT)
            await _show(
                connection,
                f"{table}, page 1,000",
                f"{select} AND (created_at, id) < ($2, $3) {order}",
                TENANT,
                last["created_at"],
                last["id"],
            )
    await connection.close()


async def _show(connection: asyncpg.Connection, title: str, sql: str, *values: object) -> None:
    # The second run is shown: the first one reads from disk what nobody has asked for since the seed.
    for _ in range(2):
        plan = await connection.fetch(f"EXPLAIN (ANALYZE, BUFFERS) {sql}", *values)
    print(f"\n{title}\n" + "\n".join(f"    {row[0]}" for row in plan))
