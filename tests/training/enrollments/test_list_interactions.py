"""GET /v1/enrollments/{id}/interactions"""

import pytest

from conftest import World


async def test_is_empty_where_no_module_reports_answers(world: World) -> None:
    enrollment = await world.enrollment()
    answer = await world.http.get(f"/v1/enrollments/{enrollment['id']}/interactions")
    assert answer.status_code == 200
    assert answer.json() == {"data": [], "next_cursor": None, "has_more": False, "limit": 20}


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_an_enrollment_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.get(f"/v1/enrollments/{id}/interactions")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "enrollment_not_found")
