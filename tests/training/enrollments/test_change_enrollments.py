"""PATCH and DELETE /v1/enrollments/{id}"""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from conftest import World
from posting import run_job
from training.certificates.holders import completed
from training.enrollments.test_counters import both
from training.learning.learners import learner
from trilha.app import PERSONAL_DATA
from trilha.core.credentials import Scope
from trilha.training.enrollments import actions, jobs
from trilha.training.learning.evidence import verification


async def change(world: World, id: str, expires_at: str | None) -> httpx2.Response:
    return await world.http.patch(f"/v1/enrollments/{id}", json={"expires_at": expires_at})


def later(world: World, **by: float) -> str:
    return (world.clock.now + timedelta(**by)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


async def shown(world: World, id: str) -> dict[str, Any]:
    data: dict[str, Any] = (await world.http.get(f"/v1/enrollments/{id}")).json()["data"]
    return data


def ids(enrollment: dict[str, Any]) -> dict[str, Any]:
    named = {name: enrollment[name] for name in ("user_id", "course_id")}
    return {"enrollment_id": enrollment["id"], **named}


async def test_extends_shortens_and_clears(world: World) -> None:
    enrollment = await world.enrollment(expires_at=later(world, days=1))
    expected = []
    for moment in (later(world, days=9), later(world, hours=1), None):
        world.clock.move(seconds=1)
        answer = await change(world, enrollment["id"], moment)
        changed = answer.json()["data"]
        assert (answer.status_code, changed["expires_at"], changed["status"]) == (200, moment, "NOT_STARTED")
        assert changed["updated_at"] > enrollment["updated_at"]
        assert (await change(world, enrollment["id"], moment)).json()["data"] == changed
        expected.append(ids(enrollment) | {"status": "NOT_STARTED", "expires_at": moment})
    assert [data for _, data in await world.events("enrollment.updated")] == expected
    world.clock.move(days=20)
    assert await run_job(jobs.EXPIRE, world) == 0


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("started", [True, False])
async def test_what_has_expired_comes_back_as_far_as_it_was(
    world: World, stored: bool, started: bool
) -> None:
    enrollment = await world.enrollment(expires_at=later(world, hours=1))
    if started:
        async with world.tx() as tx:
            await actions.start(tx, UUID(enrollment["id"]))
            await actions.advance(tx, UUID(enrollment["id"]), 40, 70)
    world.clock.move(hours=2)
    if stored:
        await run_job(jobs.EXPIRE, world)
    assert (await shown(world, enrollment["id"]))["status"] == "EXPIRED"
    back = (await change(world, enrollment["id"], later(world, days=1))).json()["data"]
    assert back["status"] == ("IN_PROGRESS" if started else "NOT_STARTED")
    assert (back["progress"], back["score"]) == ((40, 70) if started else (0, None))
    await both(world)
    again = {name: enrollment[name] for name in ("user_id", "course_id")}
    assert (await world.http.post("/v1/enrollments", json=again)).status_code == 409
    if started:
        async with world.tx() as tx:
            assert await actions.complete(tx, UUID(enrollment["id"]))


async def test_what_is_newer_stands_in_the_way(world: World) -> None:
    enrollment = await world.enrollment(expires_at=later(world, hours=1))
    world.clock.move(hours=2)
    newer = await world.enrollment(user_id=enrollment["user_id"], course_id=enrollment["course_id"])
    answer = await change(world, enrollment["id"], None)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (409, "already_enrolled")
    assert error["detail"]["existing_enrollment"]["id"] == newer["id"]
    await world.http.delete(f"/v1/enrollments/{newer['id']}")
    assert (await change(world, enrollment["id"], None)).json()["data"]["status"] == "NOT_STARTED"


async def test_who_may_not_be_enrolled_does_not_come_back(world: World) -> None:
    enrollment = await world.enrollment(expires_at=later(world, hours=1))
    world.clock.move(hours=2)
    await world.http.post(f"/v1/users/{enrollment['user_id']}/suspend")
    assert (await change(world, enrollment["id"], None)).json()["error"]["code"] == "user_not_active"


async def test_of_two_that_come_back_one_does(world: World) -> None:
    enrollment = await world.enrollment(expires_at=later(world, hours=1))
    world.clock.move(hours=2)
    pair = {name: enrollment[name] for name in ("user_id", "course_id")}
    twin = await world.enrollment(**pair, expires_at=later(world, hours=1))
    world.clock.move(hours=2)
    await run_job(jobs.EXPIRE, world)
    answers = await asyncio.gather(*(change(world, each["id"], None) for each in (enrollment, twin)))
    assert sorted(each.status_code for each in answers) == [200, 409]
    await both(world)


async def test_a_completed_one_is_neither_changed_nor_cancelled(world: World) -> None:
    enrollment = await world.enrollment()
    await completed(world, enrollment=enrollment)
    before = await shown(world, enrollment["id"])
    for answer in (
        await change(world, enrollment["id"], later(world, days=1)),
        await world.http.delete(f"/v1/enrollments/{enrollment['id']}"),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "enrollment_completed")
    assert await shown(world, enrollment["id"]) == before
    assert len((await world.http.get("/v1/certificates")).json()["data"]) == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "required"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "not_in_future"),
        ({"status": 1}, "required"),
    ],
)
async def test_refuses_what_it_cannot_read(world: World, body: dict[str, Any], code: str) -> None:
    enrollment = await world.enrollment()
    answer = await world.http.patch(f"/v1/enrollments/{enrollment['id']}", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize("state", ["NOT_STARTED", "IN_PROGRESS", "EXPIRED"])
async def test_a_cancelled_one_is_gone_and_makes_room(world: World, state: str) -> None:
    enrollment = await world.enrollment(expires_at=later(world, hours=1))
    async with world.tx() as tx:
        if state == "IN_PROGRESS":
            await actions.start(tx, UUID(enrollment["id"]))
            await actions.advance(tx, UUID(enrollment["id"]), 40, 70)
    if state == "EXPIRED":
        world.clock.move(hours=2)
    address = f"/v1/enrollments/{enrollment['id']}"
    assert (await world.http.delete(address)).status_code == 204
    assert await world.events("enrollment.cancelled") == [
        ("enrollment.cancelled", ids(enrollment) | {"cancelled_at": later(world)})
    ]
    for answer in (
        await world.http.get(address),
        await world.http.delete(address),
        await change(world, enrollment["id"], None),
        await world.http.get(f"{address}/interactions"),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "enrollment_not_found")
    for path in ("/v1/enrollments", f"/v1/users/{enrollment['user_id']}/enrollments"):
        assert (await world.http.get(path)).json()["data"] == []
    stats = (await world.http.get(f"/v1/courses/{enrollment['course_id']}/stats")).json()["data"]
    assert (stats["enrollments"], stats["in_progress"], stats["not_started"]) == (0, 0, 0)
    world.clock.move(days=1)
    assert await run_job(jobs.EXPIRE, world) == 0
    assert len(await world.events("enrollment.expired")) == 0
    pair = {name: enrollment[name] for name in ("user_id", "course_id")}
    assert (await world.http.post("/v1/enrollments", json=pair)).status_code == 201


async def test_what_was_learnt_in_a_cancelled_one_stays_as_evidence(world: World) -> None:
    ana = await learner(world, 5)
    player = await ana.launch()
    await player.commit(core={"lesson_status": "incomplete", "score": {"raw": "80"}})
    assert (await world.http.delete(f"/v1/enrollments/{ana.id}")).status_code == 204
    async with world.tx() as tx:
        verified = [each async for each in verification.verify_all(tx)]
        assert [(each.enrollment_id, each.problem) for each in verified] == [(ana.id, "")]
        kept = await tx.value("SELECT count(*) FROM attempts WHERE tenant_id = :tenant")
    assert kept == 1


async def test_who_has_a_cancelled_one_open_is_told_that_it_is_over(world: World) -> None:
    ana = await learner(world, 5)
    player = await ana.launch()
    await world.http.delete(f"/v1/enrollments/{ana.id}")
    assert (await player.commit(core={"lesson_status": "completed"})).outcome == "EXPIRED"
    world.clock.move(seconds=30)
    assert (await player.beat()).credited == 0


async def test_an_erasure_reaches_what_was_cancelled(world: World) -> None:
    ana = await learner(world, 5)
    await ana.launch()
    user = (await shown(world, str(ana.id)))["user_id"]
    await world.http.delete(f"/v1/enrollments/{ana.id}")
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user))
        agents = await tx.rows("SELECT agent, source FROM launches WHERE tenant_id = :tenant")
    assert [tuple(each) for each in agents] == [("", "")]


async def test_both_need_the_scope(world: World) -> None:
    enrollment = await world.enrollment()
    client = world.client(await world.key(Scope.ENROLLMENTS_READ))
    for method, sent in (("PATCH", {"json": {"expires_at": None}}), ("DELETE", {})):
        answer = await client.request(method, f"/v1/enrollments/{enrollment['id']}", **sent)
        assert answer.json()["error"]["detail"] == {"required_scope": "enrollments:write"}
