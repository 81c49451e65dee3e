"""Shows the query plans of lists for a page in the middle of a million rows, and for the filters of
integrations: `python -m bench explain`.
"""

import asyncio
from collections.abc import Mapping, Sequence

import asyncpg

from bench.company import TENANT, Company
from trilha.core.database.logins import APP_ROLE

_PAGE = 21
_NEWEST = "ORDER BY created_at DESC, id DESC"
_COMPLETED = "ORDER BY completed_at DESC, id DESC"
# By table: conditions and their sort order.
LISTS: Mapping[str, Sequence[tuple[str, str]]] = {
    "users": [
        ("true", _NEWEST),
        ("created_at < now() - interval '2 years'", _NEWEST),
        ("employee_number = 'M077777'", _NEWEST),
        ("department = 'Operações'", _NEWEST),
        ("department = 'Nobody''s'", _NEWEST),
    ],
    "enrollments": [
        ("true", _NEWEST),
        ("created_at < now() - interval '2 years'", _NEWEST),
        ("completed_at >= now() - interval '60 days'", _COMPLETED),
        ("completed_at >= now() - interval '60 days' AND course_id = md5('course 7')::uuid", _COMPLETED),
        ("expires_at < now() - interval '1 year'", "ORDER BY expires_at, id"),
        ("expires_at > now() AND status = 'NOT_STARTED'", "ORDER BY expires_at, id"),
    ],
    "certificates": [("true", _NEWEST), ("created_at < now() - interval '2 years'", _NEWEST)],
}


def run(company: Company) -> None:
    asyncio.run(_explain(company.url))


async def _explain(url: str) -> None:
    connection = await asyncpg.connect(url, server_settings={"role": APP_ROLE})
    async with connection.transaction():
        await connection.execute(f"SET LOCAL trilha.tenant = '{TENANT}'")
        for table, lists in LISTS.items():
            for condition, order in lists:
                sql = f"SELECT * FROM {table} WHERE tenant_id = $1 AND {condition} {order} LIMIT {_PAGE}"
                # Only the second run is shown, because the first one reads from disk.
                for _ in range(2):
                    plan = await connection.fetch(f"EXPLAIN (ANALYZE, BUFFERS) {sql}", TENANT)
                print(f"\n{table}, {condition}\n" + "\n".join(f"    {row[0]}" for row in plan))
    await connection.close()
