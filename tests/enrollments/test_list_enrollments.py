"""GET /v1/enrollments"""

from datetime import timedelta
from uuid import UUID

import pytest

from conftest import World
from trilha.enrollments import actions


async def test_lists_enrollments_newest_first(world: World) -> None:
    first = await world.enrollment()
    world.clock.move(seconds=1)
    second = await world.enrollment()
    assert (await world.http.get("/v1/enrollments")).json() == {
        "data": [second, first],
        "next_cursor": None,
        "has_more": False,
        "limit": 20,
    }


async def test_filters_by_user_and_course(world: World) -> None:
    first, second = await world.enrollment(), await world.enrollment()
    for query, expected in (
        (f"user_id={first['user_id']}", [first]),
        (f"course_id={second['course_id']}", [second]),
        (f"user_id={first['user_id']}&course_id={second['course_id']}", []),
        ("user_id=1b4e28ba-2fa1-41d2-883f-0016d3cca427", []),
    ):
        assert (await world.http.get(f"/v1/enrollments?{query}")).json()["data"] == expected, query


async def test_filters_by_the_state_as_it_is_now(world: World) -> None:
    end = world.clock.now + timedelta(hours=1)
    made = {name: await world.enrollment() for name in ("not_started", "in_progress", "completed")}
    made["waiting"] = await world.enrollment(expires_at=end.isoformat())
    made["under_way"] = await world.enrollment(expires_at=end.isoformat())
    made["done"] = await world.enrollment(expires_at=end.isoformat())
    async with world.tx() as tx:
        for name in ("in_progress", "completed", "under_way", "done"):
            await actions.start(tx, UUID(made[name]["id"]))
        for name in ("completed", "done"):
            await actions.complete(tx, UUID(made[name]["id"]))

    async def states() -> dict[str, set[str]]:
        names = {each["id"]: name for name, each in made.items()}
        found = {}
        for status in ("not_started", "in_progress", "completed", "expired"):
            listed = (await world.http.get(f"/v1/enrollments?status={status}")).json()["data"]
            assert all(each["status"] == status.upper() for each in listed)
            found[status] = {names[each["id"]] for each in listed}
        return found

    assert await states() == {
        "not_started": {"not_started", "waiting"},
        "in_progress": {"in_progress", "under_way"},
        "completed": {"completed", "done"},
        "expired": set(),
    }
    world.clock.now = end
    after = {
        "not_started": {"not_started"},
        "in_progress": {"in_progress"},
        "completed": {"completed", "done"},
        "expired": {"waiting", "under_way"},
    }
    assert await states() == after
    async with world.tx() as tx:
        await actions.expire_due(tx)
    assert await states() == after


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("status=COMPLETED", "status", "invalid_value"),
        ("status=", "status", "invalid_value"),
        ("user_id=7", "user_id", "invalid_uuid"),
        ("user_id=null", "user_id", "invalid_uuid"),
        ("course_id=", "course_id", "invalid_uuid"),
        ("user=1b4e28ba-2fa1-41d2-883f-0016d3cca427", "user", "unknown_parameter"),
    ],
)
async def test_refuses_a_filter_it_cannot_read(world: World, query: str, field: str, code: str) -> None:
    answer = await world.http.get(f"/v1/enrollments?{query}")
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (400, field, code)
