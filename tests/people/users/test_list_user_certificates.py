"""GET /v1/users/{id}/certificates"""

import pytest

from conftest import World


async def test_is_empty_while_nothing_is_completed(world: World) -> None:
    user = await world.user()
    answer = await world.http.get(f"/v1/users/{user['id']}/certificates?limit=5")
    assert answer.status_code == 200
    assert answer.json() == {"data": [], "next_cursor": None, "has_more": False, "limit": 5}


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_a_user_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.get(f"/v1/users/{id}/certificates")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "user_not_found")
