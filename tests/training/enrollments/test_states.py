"""NOT_STARTED, IN_PROGRESS, COMPLETED, EXPIRED: every move, allowed or not."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from posting import run_job
from trilha.core.database import Tx
from trilha.training.enrollments import actions, jobs
from trilha.training.enrollments.schema import Enrollment

Move = Callable[[Tx, UUID], Awaitable[Enrollment | None]]


async def advance(tx: Tx, id: UUID) -> Enrollment | None:
    return await actions.advance(tx, id, 50, 70)


async def do(world: World, enrollment: dict[str, Any], move: Move) -> Enrollment | None:
    async with world.tx() as tx:
        return await move(tx, UUID(enrollment["id"]))


async def put_in(world: World, state: str) -> dict[str, Any]:
    """Creates an enrollment with this status, which expires in an hour if it still can."""
    enrollment = await world.enrollment(expires_at=(world.clock.now + timedelta(hours=1)).isoformat())
    if state in ("IN_PROGRESS", "COMPLETED"):
        assert await do(world, enrollment, actions.start)
    if state == "COMPLETED":
        assert await do(world, enrollment, actions.complete)
    if state in ("run out", "EXPIRED"):
        world.clock.move(hours=1)
    if state == "EXPIRED":
        async with world.tx() as tx:
            assert await actions.expire_due(tx) == 1
    return await shown(world, enrollment)


async def shown(world: World, enrollment: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = (await world.http.get(f"/v1/enrollments/{enrollment['id']}")).json()["data"]
    return data


@pytest.mark.parametrize("state", ["NOT_STARTED", "IN_PROGRESS", "COMPLETED", "run out", "EXPIRED"])
@pytest.mark.parametrize(
    ("move", "allowed_from", "event"),
    [
        (actions.start, "NOT_STARTED", "enrollment.started"),
        (advance, "IN_PROGRESS", "enrollment.progress"),
        (actions.complete, "IN_PROGRESS", "enrollment.completed"),
    ],
    ids=["start", "advance", "complete"],
)
async def test_a_move_is_made_from_one_state_alone(
    world: World, state: str, move: Move, allowed_from: str, event: str
) -> None:
    enrollment = await put_in(world, state)
    before = len(await world.events(event))
    world.clock.move(seconds=1)
    moved = await do(world, enrollment, move)
    assert (moved is not None) is (state == allowed_from)
    assert len(await world.events(event)) - before == (state == allowed_from)
    if moved is None:
        assert await shown(world, enrollment) == enrollment


async def test_from_the_first_launch_to_the_end(world: World) -> None:
    enrollment = await world.enrollment()
    ids = {
        "enrollment_id": enrollment["id"],
        "user_id": enrollment["user_id"],
        "course_id": enrollment["course_id"],
    }
    world.clock.move(minutes=1)
    await do(world, enrollment, actions.start)
    started = await shown(world, enrollment)
    assert started["status"] == "IN_PROGRESS"
    assert started["started_at"] == started["updated_at"] > enrollment["updated_at"]
    world.clock.move(minutes=1)
    await do(world, enrollment, advance)
    under_way = await shown(world, enrollment)
    assert (under_way["progress"], under_way["score"]) == (50, 70)
    world.clock.move(minutes=1)
    await do(world, enrollment, actions.complete)
    done = await shown(world, enrollment)
    assert (done["status"], done["progress"], done["score"]) == ("COMPLETED", 100, 70)
    assert done["completed_at"] == done["updated_at"] > done["started_at"]
    assert [each for each in await world.events() if each[0].startswith("enrollment.")] == [
        ("enrollment.created", ids | {"expires_at": None}),
        ("enrollment.started", ids | {"started_at": started["started_at"]}),
        ("enrollment.progress", ids | {"progress_percent": 50}),
        (
            "enrollment.completed",
            ids | {"progress_percent": 100, "score": 70, "completed_at": done["completed_at"]},
        ),
    ]


async def test_progress_never_goes_down(world: World) -> None:
    enrollment = await put_in(world, "IN_PROGRESS")
    await do(world, enrollment, advance)
    async with world.tx() as tx:
        assert await actions.advance(tx, UUID(enrollment["id"]), 49.9, 70) is None
    assert (await shown(world, enrollment))["progress"] == 50


@pytest.mark.parametrize("state", ["NOT_STARTED", "IN_PROGRESS"])
async def test_runs_out_at_its_instant_and_is_told_once(world: World, state: str) -> None:
    enrollment = await put_in(world, state)
    end = world.clock.now + timedelta(hours=1)
    world.clock.now = end - timedelta(milliseconds=1)
    assert (await shown(world, enrollment))["status"] == state
    await run_job(jobs.EXPIRE, world)
    assert (await shown(world, enrollment))["status"] == state

    world.clock.now = end
    assert (await shown(world, enrollment))["status"] == "EXPIRED"
    assert await world.events("enrollment.expired") == []
    async with world.tx() as tx:
        stored = await tx.value("SELECT status FROM enrollments WHERE tenant_id = :tenant")
    assert stored == state

    for _ in range(2):
        await run_job(jobs.EXPIRE, world)
    async with world.tx() as tx:
        (row,) = await tx.rows("SELECT status, current FROM enrollments WHERE tenant_id = :tenant")
    assert tuple(row) == ("EXPIRED", None)
    assert await world.events("enrollment.expired") == [
        (
            "enrollment.expired",
            {
                "enrollment_id": enrollment["id"],
                "user_id": enrollment["user_id"],
                "course_id": enrollment["course_id"],
                "expires_at": enrollment["expires_at"],
            },
        )
    ]
    since = end.strftime("%Y-%m-%dT%H:%M:%SZ")
    (changed,) = (await world.http.get(f"/v1/enrollments?updated_since={since}")).json()["data"]
    assert changed["id"] == enrollment["id"]


async def test_completed_does_not_run_out(world: World) -> None:
    enrollment = await put_in(world, "COMPLETED")
    world.clock.move(days=365)
    await run_job(jobs.EXPIRE, world)
    assert await shown(world, enrollment) == enrollment
    assert await world.events("enrollment.expired") == []


async def test_the_job_reaches_every_tenant(world: World, stranger: World) -> None:
    for each in (world, stranger):
        await each.enrollment(expires_at=(world.clock.now + timedelta(hours=1)).isoformat())
    world.clock.move(hours=1)
    assert await run_job(jobs.EXPIRE, world, stranger) == 2
    for each in (world, stranger):
        assert len(await each.events("enrollment.expired")) == 1


async def test_two_workers_at_once_tell_it_once(world: World) -> None:
    course = await world.course()
    end = (world.clock.now + timedelta(hours=1)).isoformat()
    for _ in range(10):
        await world.enrollment(course_id=course, expires_at=end)
    world.clock.move(hours=1)
    await asyncio.gather(*(run_job(jobs.EXPIRE, world) for _ in range(4)))
    assert len(await world.events("enrollment.expired")) == 10
