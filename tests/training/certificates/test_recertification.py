"""After the certificate has expired, the course can be taken again, through every interface."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import World
from training.certificates.holders import completed, revoke, row, stored
from training.learning_paths.following import assign
from training.learning_paths.following import path as new_path
from trilha.core.credentials import SYSTEM
from trilha.training.enrollments import bulk


async def once(world: World, **course: Any) -> tuple[dict[str, Any], UUID]:
    """Creates a completed enrollment with a certificate that is valid for a year."""
    course_id = await world.course(**({"certificate_validity_months": 12} | course))
    enrollment = await world.enrollment(course_id=course_id)
    return enrollment, await completed(world, enrollment=enrollment)


async def places(world: World, enrollment: dict[str, Any]) -> list[str]:
    answer = await world.http.get(
        "/v1/enrollments",
        params={"user_id": enrollment["user_id"], "course_id": enrollment["course_id"], "limit": 100},
    )
    return [each["status"] for each in answer.json()["data"]]


def pair(enrollment: dict[str, Any]) -> dict[str, str]:
    return {name: enrollment[name] for name in ("user_id", "course_id")}


async def by_itself(world: World, enrollment: dict[str, Any]) -> bool:
    answer = await world.http.post("/v1/enrollments", json=pair(enrollment))
    if answer.status_code == 409:
        existing = answer.json()["error"]["detail"]["existing_enrollment"]
        assert existing["status"] == "COMPLETED"
    return bool(answer.status_code == 201)


async def in_bulk(world: World, enrollment: dict[str, Any]) -> bool:
    answer = await world.http.post("/v1/enrollments/bulk", json={"enrollments": [pair(enrollment)] * 2})
    data = answer.json()["data"]
    assert data["created"] + data["skipped"] == 2
    return bool(data["created"] == 1)


async def in_the_panel(world: World, enrollment: dict[str, Any]) -> bool:
    people, course = [UUID(enrollment["user_id"])], UUID(enrollment["course_id"])
    result = await bulk.enroll_people(world.database, world.tenant.id, SYSTEM, people, course, None)
    return result.created == 1


async def on_a_path(world: World, enrollment: dict[str, Any]) -> bool:
    before = len(await places(world, enrollment))
    path_id = await new_path(world, UUID(enrollment["course_id"]), title=f"Path {uuid4()}")
    await assign(world, path_id, UUID(enrollment["user_id"]))
    return len(await places(world, enrollment)) > before


WAYS = [(by_itself, 60), (in_bulk, 60), (in_the_panel, 60), (on_a_path, 0)]


@pytest.mark.parametrize(("enroll", "days"), WAYS)
async def test_from_the_opening_of_the_renewal_window(
    world: World, enroll: Callable[[World, dict[str, Any]], Awaitable[bool]], days: int
) -> None:
    enrollment, id = await once(world)
    assert not await enroll(world, enrollment)
    expires = datetime.fromisoformat((await row(world, id))["expires_at"])
    world.clock.now = expires - timedelta(days=days, milliseconds=1)
    assert not await enroll(world, enrollment)
    world.clock.move(milliseconds=1)
    assert await enroll(world, enrollment)
    assert sorted(await places(world, enrollment)) == ["COMPLETED", "NOT_STARTED"]
    # The first enrollment is unchanged, and exactly one is current.
    assert not await by_itself_again(world, enrollment)


async def by_itself_again(world: World, enrollment: dict[str, Any]) -> bool:
    answer = await world.http.post("/v1/enrollments", json=pair(enrollment))
    return bool(answer.status_code == 201)


async def test_it_is_completed_and_certified_again(world: World) -> None:
    enrollment, first = await once(world)
    world.clock.move(days=400)
    second = await completed(world, enrollment=await world.enrollment(**pair(enrollment)))
    assert (await stored(world, second)).replaces is None
    stats = (await world.http.get(f"/v1/courses/{enrollment['course_id']}/stats")).json()["data"]
    assert (stats["enrollments"], stats["completions"], stats["certificates_issued"]) == (2, 2, 2)
    assert {str(first), str(second)} == {
        each["id"] for each in (await world.http.get("/v1/certificates")).json()["data"]
    }


async def test_what_never_expires_stands(world: World) -> None:
    enrollment, _ = await once(world, certificate_validity_months=None)
    world.clock.move(days=36_500)
    assert not await by_itself(world, enrollment)


async def test_a_revoked_one_makes_no_room_before_its_end(world: World) -> None:
    enrollment, id = await once(world)
    await revoke(world, id)
    assert not await by_itself(world, enrollment)
    world.clock.move(days=366)
    assert await by_itself(world, enrollment)


async def test_many_at_once_are_enrolled_once(world: World) -> None:
    enrollment, _ = await once(world)
    world.clock.move(days=400)
    done = await asyncio.gather(*(by_itself_again(world, enrollment) for _ in range(10)))
    assert sum(done) == 1
    assert sorted(await places(world, enrollment)) == ["COMPLETED", "NOT_STARTED"]


async def test_on_a_path_in_order_the_next_course_waits_for_it(world: World) -> None:
    enrollment, _ = await once(world)
    other = await world.course()
    world.clock.move(days=400)
    path_id = await new_path(world, UUID(enrollment["course_id"]), other, in_order=True)
    await assign(world, path_id, UUID(enrollment["user_id"]))
    assert sorted(await places(world, enrollment)) == ["COMPLETED", "NOT_STARTED"]
    assert await places(world, enrollment | {"course_id": str(other)}) == []
