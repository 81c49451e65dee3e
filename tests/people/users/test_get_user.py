"""GET /v1/users/{id}"""

import pytest

from conftest import CPF, World


async def test_answers_the_user_as_created(world: World) -> None:
    user = await world.user(cpf=CPF, department="RH")
    answer = await world.http.get(f"/v1/users/{user['id']}")
    assert answer.status_code == 200
    assert answer.json() == {"data": user}
    assert user["cpf"] == "***.***.***-25"
    assert not {"password", "password_hash"} & set(user)


async def test_takes_the_id_in_capitals(world: World) -> None:
    user = await world.user()
    assert (await world.http.get(f"/v1/users/{user['id'].upper()}")).json() == {"data": user}


@pytest.mark.parametrize(
    "id",
    [
        "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
        "7",
        "null",
        "1b4e28ba2fa141d2883f0016d3cca427",
        "{1b4e28ba-2fa1-41d2-883f-0016d3cca427}",
        "%00",
        "é",
    ],
)
async def test_a_user_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.get(f"/v1/users/{id}")
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (404, "not_found", "user_not_found")
