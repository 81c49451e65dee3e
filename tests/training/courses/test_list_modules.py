"""GET /v1/courses/{id}/modules"""

import pytest

from conftest import World

MODULES = [
    {"title": "Um", "duration_minutes": 10, "body": "Texto"},
    {"title": "Dois", "duration_minutes": 0, "required": False},
    {"title": "Três", "duration_minutes": 30},
]


async def test_lists_modules_in_consumption_order(world: World) -> None:
    course = await world.course(modules=MODULES)
    answer = (await world.http.get(f"/v1/courses/{course}/modules")).json()
    assert [(each["position"], each["title"], each["required"]) for each in answer["data"]] == [
        (1, "Um", True),
        (2, "Dois", False),
        (3, "Três", True),
    ]
    assert set(answer["data"][0]) == {
        "id",
        "course_id",
        "position",
        "title",
        "type",
        "duration_minutes",
        "required",
        "presence_percent",
        "workload_kind",
        "delivery",
        "items",
        "qualification",
        "created_at",
        "updated_at",
    }
    assert answer["data"][0]["type"] == "ARTICLE"
    assert answer["data"][0]["course_id"] == str(course)


async def test_pages_go_on_in_order(world: World) -> None:
    course = await world.course(modules=MODULES)
    address = f"/v1/courses/{course}/modules?limit=2"
    first = (await world.http.get(address)).json()
    second = (await world.http.get(f"{address}&cursor={first['next_cursor']}")).json()
    assert [each["position"] for each in first["data"] + second["data"]] == [1, 2, 3]
    assert second["has_more"] is False


async def test_a_course_without_modules_has_an_empty_list(world: World) -> None:
    course = await world.course(modules=[], publish=False)
    assert (await world.http.get(f"/v1/courses/{course}/modules")).json()["data"] == []


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_a_course_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.get(f"/v1/courses/{id}/modules")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "course_not_found")
