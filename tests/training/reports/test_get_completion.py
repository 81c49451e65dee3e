"""GET /v1/analytics/completion"""

from typing import Any
from uuid import UUID

import pytest

from conftest import World
from trilha.training.certificates import actions as certificates
from trilha.training.enrollments import actions
from trilha.training.reports.rules import rate

PATH = "/v1/analytics/completion"
NOTHING = dict.fromkeys(
    ("enrollments", "completed", "in_progress", "not_started", "expired", "certificates_issued"), 0
)


async def read(world: World, path: str = PATH) -> Any:
    answer = await world.http.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


async def test_a_tenant_without_courses(world: World) -> None:
    assert await read(world) == {"overall": NOTHING | {"completion_rate": None}, "courses": []}


async def test_counts_every_state_once_overall_and_by_course(world: World, stranger: World) -> None:
    other = await world.course(title="Álgebra")
    course = await world.course(title="Zelo")
    await stranger.enrollment()
    soon = world.clock.now.replace(year=world.clock.now.year + 1).isoformat()
    await world.enrollment(course_id=other)
    await world.enrollment(course_id=course, expires_at=soon)
    under_way = await world.enrollment(course_id=course)
    done = await world.enrollment(course_id=course, expires_at=soon)
    run_out = await world.enrollment(course_id=course, expires_at=soon)
    async with world.tx() as tx:
        for each in (under_way, done, run_out):
            await actions.start(tx, UUID(each["id"]))
        completed = await actions.complete(tx, UUID(done["id"]))
        assert completed is not None
        await certificates.issue(tx, completed, None)
    world.clock.now = world.clock.now.replace(year=world.clock.now.year + 1)
    of_other = NOTHING | {"enrollments": 1, "not_started": 1, "completion_rate": 0.0}
    of_course = {
        "enrollments": 4,
        "completed": 1,
        "in_progress": 1,
        "not_started": 0,
        "expired": 2,  # both have expired, and the worker has not stored it yet
        "certificates_issued": 1,
        "completion_rate": 25.0,
    }
    overall = of_course | {"enrollments": 5, "not_started": 1, "completion_rate": 20.0}
    shown = await read(world)
    assert shown == {
        "overall": overall,
        "courses": [
            {"course_id": str(other), "course_title": "Álgebra", **of_other},
            {"course_id": str(course), "course_title": "Zelo", **of_course},
        ],
    }
    async with world.tx() as tx:
        assert await actions.expire_due(tx) == 2
    assert await read(world) == shown
    assert await read(world, f"{PATH}?course_id={course}") == {
        "overall": of_course,
        "courses": [shown["courses"][1]],
    }


async def test_only_the_fields_asked_for(world: World) -> None:
    await world.enrollment()
    assert set(await read(world, f"{PATH}?fields=overall")) == {"overall"}


async def test_a_course_that_is_not_there(world: World, stranger: World) -> None:
    for id in (await stranger.course(), "1b4e28ba-2fa1-41d2-883f-0016d3cca427"):
        answer = await world.http.get(f"{PATH}?course_id={id}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "course_not_found")


@pytest.mark.parametrize("query", ["course_id=7", "fields=courses,nothing", "status=completed"])
async def test_what_is_no_parameter_or_value_of_one(world: World, query: str) -> None:
    assert (await world.http.get(f"{PATH}?{query}")).status_code == 400


async def test_needs_its_scope(world: World) -> None:
    key = await world.key("enrollments:read")
    async with world.client(key) as http:
        assert (await http.get(PATH)).status_code == 403


@pytest.mark.parametrize(
    ("part", "whole", "shown"), [(0, 0, None), (0, 7, 0.0), (2, 3, 66.67), (1, 8, 12.5), (1, 800, 0.13)]
)
def test_rates_have_two_decimals_and_round_up_from_a_half(part: int, whole: int, shown: float | None) -> None:
    assert rate(part, whole) == shown
