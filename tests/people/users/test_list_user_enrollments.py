"""GET /v1/users/{id}/enrollments"""

import pytest

from conftest import World


async def test_lists_this_users_newest_first(world: World) -> None:
    first = await world.enrollment()
    world.clock.move(seconds=1)
    second = await world.enrollment(user_id=first["user_id"])
    await world.enrollment()
    address = f"/v1/users/{first['user_id']}/enrollments"
    assert (await world.http.get(address)).json() == {
        "data": [second, first],
        "next_cursor": None,
        "has_more": False,
        "limit": 20,
    }
    page = (await world.http.get(f"{address}?limit=1")).json()
    rest = (await world.http.get(f"{address}?limit=1&cursor={page['next_cursor']}")).json()
    assert page["data"] + rest["data"] == [second, first]


async def test_a_cursor_is_bound_to_the_user(world: World) -> None:
    first = await world.enrollment()
    await world.enrollment(user_id=first["user_id"])
    other = await world.user()
    page = (await world.http.get(f"/v1/users/{first['user_id']}/enrollments?limit=1")).json()
    answer = await world.http.get(f"/v1/users/{other['id']}/enrollments?cursor={page['next_cursor']}")
    assert answer.json()["error"]["code"] == "invalid_cursor"


async def test_a_place_that_ran_out_shows_so_at_once(world: World) -> None:
    end = world.clock.now.replace(year=world.clock.now.year + 1)
    enrollment = await world.enrollment(expires_at=end.isoformat())
    world.clock.now = end
    (shown,) = (await world.http.get(f"/v1/users/{enrollment['user_id']}/enrollments")).json()["data"]
    assert shown["status"] == "EXPIRED"


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_a_user_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.get(f"/v1/users/{id}/enrollments")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "user_not_found")
