"""A page that fills up early ends its walk there: it does not read the rest of what it may examine."""

import json
from typing import Any

import pytest

from conftest import World
from trilha.core.database import Tx


async def test_a_page_reads_about_as_many_rows_as_it_shows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO users (tenant_id, id, email, name, role, status, created_at, updated_at)
            SELECT :tenant, gen_random_uuid(), 'user' || n || '@example.com', 'Ana ' || n, 'learner',
                   'ACTIVE',
                   CAST(:now AS timestamptz) + n * interval '1 second',
                   CAST(:now AS timestamptz) + n * interval '1 second'
            FROM generate_series(1, 5000) AS n
            """
        )
    plans: list[dict[str, Any]] = []
    read = Tx.rows

    async def explained(self: Tx, sql: str, **params: Any) -> Any:
        if "is_end" in sql:
            # Statistics of so new a table are a matter of luck: what is asked is whether it can do without.
            await read(self, "SELECT set_config('enable_sort', 'off', true), CAST(:tenant AS uuid)")
            (row,) = await read(self, f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", **params)
            plans.append(json.loads(row[0])[0]["Plan"])
        return await read(self, sql, **params)

    monkeypatch.setattr(Tx, "rows", explained)
    key = {"authorization": f"Bearer {await world.key()}"}
    answer = await world.client().get("/v1/users?limit=20", headers=key)
    assert answer.status_code == 200, answer.text
    (plan,) = plans
    assert max(rows_of(plan)) <= 21


def rows_of(plan: dict[str, Any]) -> list[float]:
    return [plan["Actual Rows"], *(rows for each in plan.get("Plans", ()) for rows in rows_of(each))]
