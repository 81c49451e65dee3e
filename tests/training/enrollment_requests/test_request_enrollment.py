"""POST /v1/users/{id}/enrollment-requests"""

import asyncio
from uuid import UUID

import pytest

from conftest import CPF, World
from training.enrollment_requests.asking import ask, audited, decide, told
from training.reminders.test_reminders import sent, work
from trilha.app import PERSONAL_DATA
from trilha.training.courses import actions as courses
from trilha.training.courses.schema import CoursePatch
from trilha.training.enrollment_requests import actions
from trilha.training.enrollment_requests.actions import MAX_A_DAY
from web.panel.signing_in import made, send, signed_in
from web.panel.training_pages import manage, unit


async def test_an_open_course_enrolls_at_once(world: World) -> None:
    user, course = await world.user(), await world.course(self_enrollment="OPEN")
    status, request = await ask(world, user["id"], course, message=" Quero aprender. ")
    moment = world.clock.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    enrollment_id = request["enrollment_id"]
    assert (status, request) == (
        201,
        {
            "id": request["id"],
            "user_id": user["id"],
            "course_id": str(course),
            "status": "APPROVED",
            "message": "Quero aprender.",
            "reason": None,
            "enrollment_id": enrollment_id,
            "decided_by": None,
            "decided_at": moment,
            "created_at": moment,
            "updated_at": moment,
        },
    )
    enrollment = (await world.http.get(f"/v1/enrollments/{enrollment_id}")).json()["data"]
    assert (enrollment["user_id"], enrollment["status"]) == (user["id"], "NOT_STARTED")
    expected = {"request_id": request["id"], "user_id": user["id"], "course_id": str(course)}
    assert await world.events("enrollment.requested") == [
        ("enrollment.requested", expected | {"status": "APPROVED"})
    ]
    assert len(await world.events("enrollment.created")) == 1
    assert await audited(world) == ["enrollment_request.created"]
    # Nobody tells people of a course that they chose themselves.
    await work(world)
    assert await sent(world) == []
    status, error = await ask(world, user["id"], course)
    assert (status, error["code"]) == (409, "already_enrolled")


async def test_a_course_with_approval_waits(world: World) -> None:
    user, course = await world.user(), await world.course(self_enrollment="APPROVAL")
    status, request = await ask(world, user["id"], course)
    assert (status, request["status"], request["enrollment_id"], request["decided_at"]) == (
        *(201, "WAITING"),
        *(None, None),
    )
    assert await world.events("enrollment.created") == []
    ((_, data),) = await world.events("enrollment.requested")
    assert data["status"] == "WAITING"
    status, error = await ask(world, user["id"], course)
    assert (status, error["code"]) == (409, "enrollment_already_requested")
    assert len(await world.events("enrollment.requested")) == 1


async def test_two_requests_at_once_are_one(world: World) -> None:
    user, course = await world.user(), await world.course(self_enrollment="APPROVAL")
    answers = await asyncio.gather(*(ask(world, user["id"], course) for _ in range(4)))
    assert sorted(status for status, _ in answers) == [201, 409, 409, 409]
    other = await world.course(self_enrollment="OPEN")
    answers = await asyncio.gather(*(ask(world, user["id"], other) for _ in range(4)))
    assert sorted(status for status, _ in answers) == [201, 409, 409, 409]


async def test_refusals(world: World) -> None:
    user = await world.user()
    nobody = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
    regulated = {"kind": "occupational_safety", "required_profile_fields": ["cpf"]}
    asked = await world.course(self_enrollment="APPROVAL", regulation=regulated)
    for user_id, course_id, expected in (
        (nobody, asked, (404, "user_not_found")),
        (user["id"], nobody, (404, "course_not_found")),
        (user["id"], await world.course(), (422, "self_enrollment_closed")),
        (
            user["id"],
            await world.course(publish=False, self_enrollment="OPEN"),
            (422, "course_not_published"),
        ),
        (user["id"], asked, (422, "regulatory_profile_missing")),
    ):
        status, error = await ask(world, user_id, course_id)
        assert (status, error["code"]) == expected
    assert error["detail"] == {"missing_fields": ["cpf"]}
    await world.http.patch(f"/v1/users/{user['id']}", json={"cpf": CPF})
    assert (await ask(world, user["id"], asked))[0] == 201
    enrolled = await world.enrollment(course_id=asked, user_id=(await world.user(cpf="11144477735"))["id"])
    status, error = await ask(world, enrolled["user_id"], asked)
    assert (status, error["code"], error["detail"]["existing_enrollment"]["id"]) == (
        *(409, "already_enrolled"),
        enrolled["id"],
    )
    suspended = await world.user()
    await world.http.post(f"/v1/users/{suspended['id']}/suspend")
    assert (await ask(world, suspended["id"], asked))[1]["code"] == "user_not_active"


async def test_the_nearest_managers_are_told(world: World) -> None:
    company = await unit(world, "Empresa")
    plant = await unit(world, "Fábrica", parent=company)
    line = await unit(world, "Linha", parent=plant)
    await made(world, "admin", name="Admin")
    above = await made(world, "gestor", name="Diretora")
    near = await made(world, "gestor", name="Chefe", business_unit_id=str(plant))
    await manage(world, company, above.id)
    await manage(world, plant, near.id)
    user = await world.user(name="Ana", business_unit_id=str(line))
    course = await world.course(self_enrollment="APPROVAL")
    await ask(world, user["id"], course)
    assert await told(world) == [("enrollment_requested", "Chefe")]
    # Nobody decides about themselves.
    await ask(world, near.id, course)
    assert await told(world) == [("enrollment_requested", "Chefe"), ("enrollment_requested", "Diretora")]
    await ask(world, (await world.user(name="Sem unidade"))["id"], course)
    assert ("enrollment_requested", "Admin") in await told(world)
    await work(world)
    assert await mails_to(world) == ["Admin", "Chefe", "Diretora"]


async def mails_to(world: World) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT u.name FROM mail_messages m JOIN users u ON u.tenant_id = :tenant AND u.email = m.to_email
            WHERE m.tenant_id = :tenant AND m.kind = 'reminders' ORDER BY u.name
            """
        )
    return [row["name"] for row in rows]


async def test_no_mail_about_a_request_that_was_decided_meanwhile(world: World) -> None:
    await made(world, "admin", name="Admin")
    user, course = await world.user(name="Ana"), await world.course(self_enrollment="APPROVAL")
    _, request = await ask(world, user["id"], course)
    await decide(world, request["id"], "reject", reason="Sem vagas")
    await work(world)
    assert await mails_to(world) == ["Ana"]


async def test_a_waiting_request_ends_when_the_course_is_open_to_everyone(world: World) -> None:
    user, course = await world.user(), await world.course(self_enrollment="APPROVAL")
    _, waiting = await ask(world, user["id"], course)
    async with world.tx() as tx:
        await courses.change(tx, course, CoursePatch(self_enrollment="OPEN"))
    status, request = await ask(world, user["id"], course)
    assert (status, request["status"]) == (201, "APPROVED")
    read = (await world.http.get(f"/v1/enrollment-requests/{waiting['id']}")).json()["data"]
    assert read["status"] == "CANCELLED"


async def test_an_erased_person_leaves_no_text(world: World) -> None:
    user, course = await world.user(), await world.course(self_enrollment="APPROVAL")
    _, request = await ask(world, user["id"], course, message="Estou grávida")
    other = await world.course(self_enrollment="APPROVAL")
    _, rejected = await ask(world, user["id"], other)
    await decide(world, rejected["id"], "reject", reason="Ana não precisa")
    async with world.tx() as tx:
        await PERSONAL_DATA.erase(tx, UUID(user["id"]))
    for id, status in ((request["id"], "CANCELLED"), (rejected["id"], "REJECTED")):
        read = (await world.http.get(f"/v1/enrollment-requests/{id}")).json()["data"]
        assert (read["status"], read["message"], read["reason"]) == (status, None, None)


async def test_a_person_sends_fifty_requests_a_day(world: World) -> None:
    user, other = await world.user(), await world.user()
    wanted = [await world.course(self_enrollment=("OPEN", "APPROVAL")[n % 2]) for n in range(MAX_A_DAY + 1)]
    for course in wanted[:-1]:
        assert (await ask(world, user["id"], course))[0] == 201
        world.clock.move(minutes=1)
    path, body = f"/v1/users/{user['id']}/enrollment-requests", {"course_id": str(wanted[-1])}
    answer = await world.http.post(path, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_enrollment_requests")
    assert int(answer.headers["retry-after"]) == (24 * 60 - MAX_A_DAY) * 60
    assert (await ask(world, other["id"], wanted[-1]))[0] == 201
    world.clock.move(seconds=int(answer.headers["retry-after"]))
    assert (await ask(world, user["id"], wanted[-1]))[0] == 201


async def test_the_limit_of_a_day_holds_for_requests_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "MAX_A_DAY", 2)
    user = await world.user()
    wanted = [await world.course(self_enrollment=("OPEN", "APPROVAL")[n % 2]) for n in range(8)]
    answers = await asyncio.gather(*(ask(world, user["id"], course) for course in wanted))
    assert sorted(status for status, _ in answers) == [201] * 2 + [429] * 6


async def test_the_catalog_says_that_it_was_enough(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MAX_A_DAY", 1)
    learner = await signed_in(world, "learner")
    first, second = [await world.course(self_enrollment="APPROVAL") for _ in range(2)]
    assert (await send(learner, f"/learn/catalog/{first}/enroll")).status_code == 303
    refused = await send(learner, f"/learn/catalog/{second}/enroll")
    page = await learner.get(refused.headers["location"])
    assert "You have asked for many courses today. Try again tomorrow." in page.text
