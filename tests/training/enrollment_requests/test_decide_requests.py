"""POST /v1/enrollment-requests/{id}/approve and /reject"""

import asyncio
from uuid import UUID

import pytest

from conftest import World
from training.enrollment_requests.asking import ask, audited, decide, told
from training.reminders.test_reminders import sent, work
from trilha.training.courses import actions as courses


async def test_an_approval_enrolls_and_tells(world: World) -> None:
    user, course = await world.user(), await world.course(self_enrollment="APPROVAL")
    _, request = await ask(world, user["id"], course)
    status, approved = await decide(world, request["id"], "approve", expires_at="2099-01-31T15:00:00Z")
    assert (status, approved["status"], approved["decided_by"]) == (200, "APPROVED", None)
    enrollment = (await world.http.get(f"/v1/enrollments/{approved['enrollment_id']}")).json()["data"]
    assert (enrollment["course_id"], enrollment["expires_at"]) == (str(course), "2099-01-31T15:00:00.000Z")
    assert len(await world.events("enrollment.requested")) == 1
    assert await audited(world) == ["enrollment_request.approved", "enrollment_request.created"]
    await work(world)
    # Not also that they have a new course.
    assert await sent(world) == ["enrollment_approved"]
    for decision, members in (("approve", {}), ("reject", {"reason": "x"})):
        status, error = await decide(world, request["id"], decision, **members)
        assert (status, error["code"]) == (409, "enrollment_request_decided")


async def test_a_rejection_tells_why_and_another_request_may_follow(world: World) -> None:
    user, course = await world.user(name="Ana"), await world.course(self_enrollment="APPROVAL")
    _, request = await ask(world, user["id"], course)
    status, rejected = await decide(world, request["id"], "reject", reason=" Faça antes a NR-06. ")
    assert (status, rejected["status"], rejected["reason"], rejected["enrollment_id"]) == (
        *(200, "REJECTED"),
        *("Faça antes a NR-06.", None),
    )
    assert await told(world) == [("enrollment_rejected", "Ana")]
    async with world.tx() as tx:
        text = await tx.value("SELECT text FROM reminders WHERE tenant_id = :tenant")
    assert text == "Faça antes a NR-06."
    assert await world.events("enrollment.created") == []
    assert (await ask(world, user["id"], course))[0] == 201


async def test_a_rejection_has_a_reason(world: World) -> None:
    _, request = await ask(world, (await world.user())["id"], await world.course(self_enrollment="APPROVAL"))
    status, error = await decide(world, request["id"], "reject", reason="  ")
    assert (status, error["code"], error["field"]) == (400, "too_short", "reason")


async def test_what_became_of_the_person_or_the_course(world: World) -> None:
    user, course = await world.user(), await world.course(self_enrollment="APPROVAL")
    _, request = await ask(world, user["id"], course)
    await world.http.post(f"/v1/users/{user['id']}/suspend")
    assert (await decide(world, request["id"], "approve"))[1]["code"] == "user_not_active"
    await world.http.post(f"/v1/users/{user['id']}/reactivate")
    async with world.tx() as tx:
        await courses.archive(tx, course)
    assert (await decide(world, request["id"], "approve"))[1]["code"] == "course_not_published"
    async with world.tx() as tx:
        await courses.restore(tx, course)
    await world.enrollment(user_id=user["id"], course_id=course)
    assert (await decide(world, request["id"], "approve"))[1]["code"] == "already_enrolled"
    read = (await world.http.get(f"/v1/enrollment-requests/{request['id']}")).json()["data"]
    assert read["status"] == "WAITING"
    status, error = await decide(world, request["id"], "approve", expires_at="2001-01-31T15:00:00Z")
    assert (status, error["code"]) == (400, "not_in_future")


@pytest.mark.parametrize("other", ["approve", "reject"])
async def test_one_decision_wins(world: World, other: str) -> None:
    user, course = await world.user(), await world.course(self_enrollment="APPROVAL")
    _, request = await ask(world, user["id"], course)
    members = {"reason": "Sem vagas"} if other == "reject" else {}
    answers = await asyncio.gather(
        *(decide(world, request["id"], "approve") for _ in range(3)),
        *(decide(world, request["id"], other, **members) for _ in range(3)),
    )
    assert sorted(status for status, _ in answers) == [200, *[409] * 5]
    assert {error["code"] for status, error in answers if status == 409} == {"enrollment_request_decided"}
    read = (await world.http.get(f"/v1/enrollment-requests/{request['id']}")).json()["data"]
    created = await world.events("enrollment.created")
    assert len(created) == (read["status"] == "APPROVED")
    assert UUID(read["id"])
