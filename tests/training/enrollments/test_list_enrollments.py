"""GET /v1/enrollments"""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from conftest import World
from trilha.training.enrollments import actions


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


async def walked(world: World, query: str) -> list[str]:
    """Returns the ids of a whole walk in pages of two."""
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await world.http.get(f"/v1/enrollments?{query}&limit=2{cursor}")).json()
        seen += [each["id"] for each in page["data"]]
        if not page["has_more"]:
            return seen
        cursor = f"&cursor={page['next_cursor']}"


def wire(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


async def test_filters_by_several_states_in_either_case(world: World) -> None:
    end = world.clock.now + timedelta(hours=1)
    made = []
    for number in range(8):
        world.clock.move(seconds=1)
        made.append(await world.enrollment(**({"expires_at": wire(end)} if number % 4 == 3 else {})))
    async with world.tx() as tx:
        for number in (1, 2, 5, 6):
            await actions.start(tx, UUID(made[number]["id"]))
        for number in (2, 6):
            await actions.complete(tx, UUID(made[number]["id"]))
    world.clock.now = end
    ids = [each["id"] for each in made]
    for status, numbers in (
        ("not_started,IN_PROGRESS", (5, 4, 1, 0)),
        ("Expired,completed", (7, 6, 3, 2)),
        ("COMPLETED,completed", (6, 2)),
        ("not_started,in_progress,completed,expired", range(7, -1, -1)),
    ):
        assert await walked(world, f"status={status}") == [ids[number] for number in numbers], status
    user = made[2]["user_id"]
    assert await walked(world, f"status=completed,expired&user_id={user}") == [ids[2]]


async def test_filters_by_moments_in_their_order(world: World) -> None:
    start = world.clock.now
    made = [await world.enrollment(expires_at=wire(start + timedelta(days=9 - n))) for n in range(4)]
    ids = [each["id"] for each in made]
    for number in (2, 0, 1):
        world.clock.move(minutes=1)
        async with world.tx() as tx:
            await actions.start(tx, UUID(ids[number]))
            await actions.complete(tx, UUID(ids[number]))
    world.clock.move(minutes=1)
    last = await world.enrollment()
    minute = [wire(start + timedelta(minutes=n)) for n in range(5)]
    for query, expected in (
        (f"completed_since={minute[1]}", [ids[1], ids[0], ids[2]]),
        (f"completed_since={minute[2]}&completed_before={minute[3]}", [ids[0]]),
        (f"completed_before={minute[3]}", [ids[0], ids[2]]),
        (f"completed_since={minute[1]}&course_id={made[2]['course_id']}", [ids[2]]),
        (f"expires_before={wire(start + timedelta(days=8))}", [ids[3], ids[2]]),
        (f"expires_before={wire(start + timedelta(days=9))}&status=completed", [ids[2], ids[1]]),
        (f"expires_before={wire(start + timedelta(days=10))}&status=not_started,in_progress", [ids[3]]),
        (f"created_since={minute[4]}", [last["id"]]),
        (f"updated_since={minute[2]}&completed_since={minute[1]}", [ids[0], ids[1]]),
    ):
        assert await walked(world, query) == expected, query


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("status=GONE", "status", "invalid_value"),
        ("status=completed,gone", "status", "invalid_value"),
        ("status=completed,", "status", "invalid_value"),
        ("completed_since=2026", "completed_since", "invalid_date_time"),
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
