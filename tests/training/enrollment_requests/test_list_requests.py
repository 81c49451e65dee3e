"""GET /v1/enrollment-requests"""

import pytest

from conftest import World
from training.enrollment_requests.asking import ask, decide


@pytest.fixture
async def requests(world: World) -> dict[str, dict[str, str]]:
    """Three requests: of Ana for two courses, the second rejected, and of Bia for the first."""
    ana, bia = await world.user(name="Ana"), await world.user(name="Bia")
    first, second = [await world.course(self_enrollment="APPROVAL") for _ in range(2)]
    found = {}
    for name, user, course in (("one", ana, first), ("two", ana, second), ("three", bia, first)):
        _, found[name] = await ask(world, user["id"], course)
        world.clock.move(minutes=1)
    await decide(world, found["two"]["id"], "reject", reason="Sem vagas")
    return found


async def listed(world: World, **query: str) -> list[str]:
    answer = await world.http.get("/v1/enrollment-requests", params=query)
    assert answer.status_code == 200, answer.text
    return [each["id"] for each in answer.json()["data"]]


async def test_newest_first_and_by_filter(world: World, requests: dict[str, dict[str, str]]) -> None:
    one, two, three = [requests[name]["id"] for name in ("one", "two", "three")]
    assert await listed(world) == [three, two, one]
    assert await listed(world, status="WAITING") == [three, one]
    assert await listed(world, status="REJECTED,APPROVED") == [two]
    assert await listed(world, user_id=requests["one"]["user_id"]) == [two, one]
    assert await listed(world, course_id=requests["one"]["course_id"]) == [three, one]
    assert await listed(world, user_id=requests["three"]["user_id"], status="REJECTED") == []
    decided = (await world.http.get(f"/v1/enrollment-requests/{two}")).json()["data"]
    assert await listed(world, updated_since=decided["updated_at"]) == [two]


async def test_pages(world: World, requests: dict[str, dict[str, str]]) -> None:
    seen, cursor = [], None
    while True:
        query = {"limit": "1"} | ({"cursor": cursor} if cursor else {})
        page = (await world.http.get("/v1/enrollment-requests", params=query)).json()
        seen += [each["id"] for each in page["data"]]
        cursor = page["next_cursor"]
        if not page["has_more"]:
            break
    assert seen == [requests[name]["id"] for name in ("three", "two", "one")]


async def test_a_status_that_there_is_not(world: World) -> None:
    answer = await world.http.get("/v1/enrollment-requests", params={"status": "LOST"})
    assert answer.status_code == 400
