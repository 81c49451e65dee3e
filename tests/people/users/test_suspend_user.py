"""POST /v1/users/{id}/suspend"""

from uuid import UUID

import pytest

from conftest import World
from trilha.people.users import queries


async def test_suspends_once(world: World) -> None:
    user = await world.user()
    world.clock.move(seconds=1)
    for _ in range(2):
        answer = await world.http.post(f"/v1/users/{user['id']}/suspend")
        assert (answer.status_code, answer.content) == (204, b"")
        assert "content-type" not in answer.headers
    shown = (await world.http.get(f"/v1/users/{user['id']}")).json()["data"]
    assert shown["status"] == "SUSPENDED"
    assert shown["updated_at"] > user["updated_at"]
    assert await world.events("user.suspended") == [("user.suspended", {"user_id": user["id"]})]


async def test_a_user_who_left_is_not_suspended(world: World) -> None:
    user = await world.user()
    async with world.tx() as tx:
        assert await queries.change_status(tx, UUID(user["id"]), "ACTIVE", "INACTIVE")
    answer = await world.http.post(f"/v1/users/{user['id']}/suspend")
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (409, "conflict", "user_inactive")
    assert await world.events("user.suspended") == []


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_a_user_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.post(f"/v1/users/{id}/suspend")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "user_not_found")
