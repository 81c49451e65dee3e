"""POST /v1/users/{id}/reactivate"""

from uuid import UUID

import pytest

from conftest import World
from trilha.people.users import queries


async def test_ends_a_suspension_once(world: World) -> None:
    user = await world.user()
    await world.http.post(f"/v1/users/{user['id']}/suspend")
    for _ in range(2):
        answer = await world.http.post(f"/v1/users/{user['id']}/reactivate")
        assert (answer.status_code, answer.content) == (204, b"")
    assert (await world.http.get(f"/v1/users/{user['id']}")).json()["data"]["status"] == "ACTIVE"
    assert await world.events("user.reactivated") == [("user.reactivated", {"user_id": user["id"]})]


async def test_an_active_user_stays_so_without_an_event(world: World) -> None:
    user = await world.user()
    assert (await world.http.post(f"/v1/users/{user['id']}/reactivate")).status_code == 204
    assert (await world.http.get(f"/v1/users/{user['id']}")).json() == {"data": user}
    assert await world.events("user.reactivated") == []


async def test_a_user_who_left_is_not_reactivated(world: World) -> None:
    user = await world.user()
    async with world.tx() as tx:
        assert await queries.change_status(tx, UUID(user["id"]), "ACTIVE", "INACTIVE")
    answer = await world.http.post(f"/v1/users/{user['id']}/reactivate")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "user_inactive")


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_a_user_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.post(f"/v1/users/{id}/reactivate")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "user_not_found")
