"""A full walk returns every row that existed throughout exactly once, whatever happens meanwhile."""

import asyncio
import contextlib
import itertools
from collections import Counter
from uuid import uuid4

import pytest

from conftest import World


async def seed(world: World, rows: int) -> set[str]:
    async with world.tx() as tx:
        made = await tx.rows(
            """
            INSERT INTO users (tenant_id, email, name, role, created_at, updated_at)
            SELECT :tenant, 'u' || n || '@example.com', 'Ana', 'learner', t.at, t.at
            FROM generate_series(1, :rows::int) AS n,
                 -- Several rows share each moment, as imported ones do.
                 LATERAL (SELECT CAST(:now AS timestamptz) - n / 7 * interval '1 second' AS at) AS t
            RETURNING id
            """,
            rows=rows,
        )
    return {str(row["id"]) for row in made}


async def disturb(world: World, rounds: asyncio.Queue[int]) -> None:
    """Inserts rows before, between and after, and updates rows everywhere. The queue keeps it in step with
    the walk.
    """
    for done in itertools.count(1):
        world.clock.move(milliseconds=1)
        async with world.tx() as tx:
            await tx.execute(
                """
                INSERT INTO users (tenant_id, email, name, role, created_at, updated_at)
                SELECT :tenant, :email || n, 'New', 'learner', t.at, t.at
                FROM generate_series(0, 9) AS n,
                     LATERAL (SELECT CAST(:now AS timestamptz) - n * interval '300 seconds' AS at) AS t
                RETURNING tenant_id
                """,
                email=f"{uuid4().hex}@",
            )
            await tx.execute(
                """
                UPDATE users SET name = 'Changed', updated_at = :now
                WHERE tenant_id = :tenant AND id IN (
                    SELECT id FROM users WHERE tenant_id = :tenant AND id > :start LIMIT 50)
                """,
                start=uuid4(),
            )
        await rounds.put(done)


@pytest.mark.parametrize("rows", [5_000, pytest.param(20_000, marks=pytest.mark.long)])
async def test_each_old_row_exactly_once_while_rows_come_and_change(world: World, rows: int) -> None:
    old = await seed(world, rows)
    rounds = asyncio.Queue[int](maxsize=1)
    disturbing = asyncio.create_task(disturb(world, rounds))
    seen: Counter[str] = Counter()
    address = "/v1/users?limit=100&fields=name"
    cursor, pages = "", 0
    while True:
        page = (await world.http.get(address + cursor)).json()
        seen.update(user["id"] for user in page["data"])
        pages += 1
        if pages % 4 == 0:
            await rounds.get()
        if not page["has_more"]:
            break
        cursor = f"&cursor={page['next_cursor']}"
    disturbing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await disturbing
    assert {seen[id] for id in old} == {1}
    assert max(seen.values()) == 1
    assert pages >= rows // 100
    assert len(seen) > len(old), "no row came in between"
