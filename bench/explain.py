"""The plans behind the pages: what PostgreSQL reads for page 1 and for page 1,000 of a million rows, and for
what integrations filter by.
"""

import asyncio

import asyncpg

from bench.world import LARGE, TENANT, make_world, server
from trilha.core.database.logins import APP_ROLE

PAGE = 20
LISTS = {
    "users": "SELECT * FROM users WHERE tenant_id = $1",
    "enrollments": "SELECT * FROM enrollments WHERE tenant_id = $1",
    "certificates": "SELECT * FROM certificates WHERE tenant_id = $1",
}
_NEWEST = "ORDER BY created_at DESC, id DESC"
_PART = "SELECT * FROM enrollments WHERE tenant_id = $1 AND {}" + f" {_NEWEST} LIMIT {PAGE + 1}"
_COMPLETED = "ORDER BY completed_at DESC, id DESC"
# A list's condition and its order.
FILTERED = {
    "users": {
        "employee_number = '77777'": _NEWEST,
        "department = 'Operações'": _NEWEST,
        "department = 'Nobody''s'": _NEWEST,
        "created_at >= '2025-08-01'": _NEWEST,
    },
    "enrollments": {
        "completed_at >= '2025-08-01'": _COMPLETED,
        "completed_at >= '2024-01-01' AND completed_at < '2024-01-20'": _COMPLETED,
        "completed_at >= '2025-08-01' AND course_id = md5('course 7')::uuid": _COMPLETED,
        "expires_at < '2025-01-01'": "ORDER BY expires_at, id",
        "expires_at < '2100-01-01' AND expires_at > now() AND status = 'NOT_STARTED'": (
            "ORDER BY expires_at, id"
        ),
        "created_at >= '2025-08-01'": _NEWEST,
    },
}


def main() -> None:
    with server() as (folder, url):
        asyncio.run(_explain(make_world(folder, url, LARGE).url))


async def _explain(url: str) -> None:
    connection = await asyncpg.connect(url, server_settings={"role": APP_ROLE})
    async with connection.transaction():
        await connection.execute(f"SET LOCAL trilha.tenant = '{TENANT}'")
        for table, select in LISTS.items():
            await _explain_pages(connection, table, select)
        for table, conditions in FILTERED.items():
            for condition, order in conditions.items():
                sql = f"{LISTS[table]} AND {condition} {order} LIMIT {PAGE + 1}"
                await _show(connection, f"{table}, {condition}", sql, TENANT)
        statuses = ("status = 'COMPLETED'", "status = 'EXPIRED'")
        parts = " UNION ALL ".join(f"({_PART.format(each)})" for each in statuses)
        several = f"SELECT * FROM ({parts}) AS parts {_NEWEST} LIMIT {PAGE + 1}"
        await _show(connection, "enrollments, of several states", several, TENANT)
    await connection.close()


async def _explain_pages(connection: asyncpg.Connection, table: str, select: str) -> None:
    order = f"{_NEWEST} LIMIT {PAGE + 1}"
    last = await connection.fetchrow(f"{select} {_NEWEST} OFFSET {999 * PAGE - 1} LIMIT 1", TENANT)
    await _show(connection, f"{table}, page 1", f"{select} {order}", TENANT)
    await _show(
        connection,
        f"{table}, page 1,000",
        f"{select} AND (created_at, id) < ($2, $3) {order}",
        TENANT,
        last["created_at"],
        last["id"],
    )


async def _show(connection: asyncpg.Connection, title: str, sql: str, *values: object) -> None:
    # The second run is shown: the first one reads from disk what nobody has asked for since the seed.
    for _ in range(2):
        plan = await connection.fetch(f"EXPLAIN (ANALYZE, BUFFERS) {sql}", *values)
    print(f"\n{title}\n" + "\n".join(f"    {row[0]}" for row in plan))
