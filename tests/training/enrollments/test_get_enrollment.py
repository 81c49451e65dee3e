"""GET /v1/enrollments/{id}"""

import pytest

from conftest import World


async def test_answers_the_enrollment_as_created(world: World) -> None:
    enrollment = await world.enrollment()
    answer = await world.http.get(f"/v1/enrollments/{enrollment['id']}")
    assert (answer.status_code, answer.json()) == (200, {"data": enrollment})


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_an_enrollment_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.get(f"/v1/enrollments/{id}")
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (404, "not_found", "enrollment_not_found")
