"""A page that fills up early stops reading there, and leaves the rest of its allowance unread."""

import json
from datetime import timedelta
from typing import Any

import pytest

from conftest import World
from trilha.core.database import Tx
from trilha.core.types import Timestamp

_TIMES = "CAST(:now AS timestamptz) + n * interval '1 second'"
_MANY = (
    f"""
    INSERT INTO users (tenant_id, id, email, name, role, status, created_at, updated_at)
    SELECT :tenant, md5('user' || n)::uuid, 'user' || n || '@example.com', 'Ana ' || n, 'learner', 'ACTIVE',
           {_TIMES}, {_TIMES}
    FROM generate_series(1, 5000) AS n
    RETURNING tenant_id
    """,
    f"""
    INSERT INTO courses (tenant_id, id, title, slug, status, duration_hours, created_at, updated_at)
    SELECT :tenant, md5('course' || n)::uuid, 'Course ' || n, 'course-' || n, 'PUBLISHED', 1, {_TIMES},
           {_TIMES}
    FROM generate_series(1, 5000) AS n
    RETURNING tenant_id
    """,
    f"""
    INSERT INTO all_enrollments (tenant_id, id, user_id, course_id, status, current, started_at, completed_at,
                                 created_at, updated_at)
    SELECT :tenant, md5('place' || n)::uuid, md5('user' || n)::uuid, md5('course1')::uuid, 'COMPLETED', true,
           {_TIMES}, {_TIMES}, {_TIMES}, {_TIMES}
    FROM generate_series(1, 5000) AS n
    RETURNING tenant_id
    """,
    f"""
    INSERT INTO certificates (tenant_id, id, code, user_id, enrollment_id, course_id, holder_name,
                              course_title, issued_by, locale, workload_minutes, started_at, completed_at,
                              syllabus, paper, issued_at, created_at, updated_at)
    SELECT :tenant, md5('paper' || n)::uuid, upper(left(md5('paper' || n), 16)), md5('user' || n)::uuid,
           md5('place' || n)::uuid, md5('course1')::uuid, 'Ana', 'Course 1', 'Company', 'en', 60, {_TIMES},
           {_TIMES}, '[]', '{{}}', {_TIMES}, {_TIMES}, {_TIMES}
    FROM generate_series(1, 5000) AS n
    RETURNING tenant_id
    """,
)


async def test_a_page_reads_about_as_many_rows_as_it_shows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.tx() as tx:
        for insert in _MANY:
            await tx.execute(insert)
        since = Timestamp.of(tx.now + timedelta(seconds=100))
    plans: list[dict[str, Any]] = []
    read = Tx.rows

    async def explained(self: Tx, sql: str, **params: Any) -> Any:
        if "is_end" in sql:
            # A table this new has statistics only by luck, and the query must not need them.
            await read(self, "SELECT set_config('enable_sort', 'off', true), CAST(:tenant AS uuid)")
            (row,) = await read(self, f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", **params)
            plans.append(json.loads(row[0])[0]["Plan"])
        return await read(self, sql, **params)

    monkeypatch.setattr(Tx, "rows", explained)
    key = {"authorization": f"Bearer {await world.key()}"}
    client = world.client()
    for path in ("users", "courses", "enrollments", "certificates"):
        for changed in ("", f"&updated_since={since}"):
            answer = await client.get(f"/v1/{path}?limit=20{changed}", headers=key)
            assert answer.status_code == 200, answer.text
            assert len(answer.json()["data"]) == 20
            plan = plans.pop()
            assert max(rows_of(plan)) <= 21, (path, changed)
            assert not [node for node in nodes_of(plan) if "Sort" in node["Node Type"]], (path, changed)
    assert not plans


def nodes_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for each in plan.get("Plans", ()) for node in nodes_of(each))]


def rows_of(plan: dict[str, Any]) -> list[float]:
    return [node["Actual Rows"] for node in nodes_of(plan)]
