"""GET /v1/courses/{id}/stats"""

from uuid import UUID

import pytest

from conftest import World
from trilha.training.certificates import actions as certificates
from trilha.training.enrollments import actions


async def test_a_course_nobody_takes_has_nothing_to_average(world: World) -> None:
    course = await world.course()
    answer = await world.http.get(f"/v1/courses/{course}/stats")
    assert answer.status_code == 200
    assert answer.json()["data"] == {
        "course_id": str(course),
        "enrollments": 0,
        "not_started": 0,
        "in_progress": 0,
        "completions": 0,
        "expired": 0,
        "completion_rate": None,
        "average_score": None,
        "average_progress": None,
        "certificates_issued": 0,
    }


async def test_counts_every_state_once(world: World) -> None:
    course = await world.course()
    soon = world.clock.now.replace(year=world.clock.now.year + 1).isoformat()
    await world.enrollment(course_id=course)
    await world.enrollment(course_id=course, expires_at=soon)
    under_way = await world.enrollment(course_id=course)
    done = await world.enrollment(course_id=course, expires_at=soon)
    run_out = await world.enrollment(course_id=course, expires_at=soon)
    await world.enrollment()  # in another course
    async with world.tx() as tx:
        for each, progress, score in ((under_way, 33.3, None), (done, 90, 80.55), (run_out, 10, 50)):
            await actions.start(tx, UUID(each["id"]))
            await actions.advance(tx, UUID(each["id"]), progress, score)
        completed = await actions.complete(tx, UUID(done["id"]))
        assert completed is not None
        await certificates.issue(tx, completed, None)
    world.clock.now = world.clock.now.replace(year=world.clock.now.year + 1)
    stats = (await world.http.get(f"/v1/courses/{course}/stats")).json()["data"]
    assert stats == {
        "course_id": str(course),
        "enrollments": 5,
        "not_started": 1,
        "in_progress": 1,
        "completions": 1,
        "expired": 2,
        "completion_rate": 20.0,
        "average_score": 65.28,  # (80.55 + 50) / 2
        "average_progress": 28.66,  # (0 + 0 + 33.3 + 100 + 10) / 5
        "certificates_issued": 1,
    }
    async with world.tx() as tx:
        assert await actions.expire_due(tx) == 2
    assert (await world.http.get(f"/v1/courses/{course}/stats")).json()["data"] == stats


@pytest.mark.parametrize("id", ["1b4e28ba-2fa1-41d2-883f-0016d3cca427", "7"])
async def test_a_course_that_is_not_there(world: World, id: str) -> None:
    answer = await world.http.get(f"/v1/courses/{id}/stats")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "course_not_found")
