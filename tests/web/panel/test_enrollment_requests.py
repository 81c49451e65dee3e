"""/admin/enrollments/requests"""

from uuid import UUID

import httpx2

from conftest import World
from training.enrollment_requests.asking import ask
from trilha.core.types import Timestamp
from trilha.training.courses import actions as courses
from web.panel.signing_in import browser_of, made, open_notification, send, signed_in, user_id
from web.panel.training_pages import manage, unit

PATH = "/admin/enrollments/requests"


async def requested(world: World, name: str = "Ana Lima", **members: str) -> dict[str, str]:
    user = await world.user(name=name, **members)
    course = await world.course(title="NR-35", self_enrollment="APPROVAL")
    status, request = await ask(world, user["id"], course, message="Por favor\nobrigada")
    assert status == 201
    found: dict[str, str] = request
    return found


async def test_an_administrator_approves_in_one_click(world: World) -> None:
    admin = await signed_in(world)
    request = await requested(world)
    assert f'href="{PATH}"' in (await admin.get("/admin")).text
    listed = (await admin.get(PATH)).text
    assert all(each in listed for each in ("Ana Lima", "NR-35", "Por favor"))
    assert (await send(admin, f"{PATH}/{request['id']}/approve")).status_code == 303
    read = (await world.http.get(f"/v1/enrollment-requests/{request['id']}")).json()["data"]
    assert (read["status"], read["decided_by"]) == ("APPROVED", str(user_id(admin)))
    assert "Ana Lima was enrolled." in (await admin.get(PATH)).text
    assert "Ana Lima" not in (await admin.get(PATH)).text
    page = (await admin.get(f"{PATH}/{request['id']}")).text
    assert all(each in page for each in ("This request was approved", "Marina Duarte"))
    again = await send(admin, f"{PATH}/{request['id']}/approve")
    assert (again.status_code, "This request was answered already." in again.text) == (422, True)


async def test_with_a_due_date(world: World) -> None:
    admin = await signed_in(world)
    request = await requested(world)
    path = f"{PATH}/{request['id']}"
    refused = await send(admin, f"{path}/approve", expires_at="2001-01-01")
    assert (refused.status_code, "Enter a day in the future." in refused.text) == (422, True)
    assert (await send(admin, f"{path}/approve", expires_at="2099-01-31")).status_code == 303
    (enrollment,) = (await world.http.get("/v1/enrollments")).json()["data"]
    assert enrollment["expires_at"] == Timestamp("2099-02-01T02:59:59.000Z")


async def test_a_refusal_has_a_reason(world: World) -> None:
    admin = await signed_in(world)
    request = await requested(world)
    path = f"{PATH}/{request['id']}"
    refused = await send(admin, f"{path}/reject", reason=" ")
    assert (refused.status_code, "Enter the reason." in refused.text) == (422, True)
    assert (await send(admin, f"{path}/reject", reason="Sem vagas")).status_code == 303
    assert "Sem vagas" in (await admin.get(path)).text


async def test_managers_answer_for_their_people_only(world: World) -> None:
    plant = await unit(world, "Fábrica")
    manager = await made(world, "gestor", name="Chefe", business_unit_id=str(plant))
    await manage(world, plant, manager.id)
    theirs = await requested(world, "Ana Lima", business_unit_id=str(plant))
    others = await requested(world, "Bruno Dias")
    browser = await browser_of(world, manager)
    listed = (await browser.get(PATH)).text
    assert "Ana Lima" in listed
    assert "Bruno Dias" not in listed
    for path in (f"{PATH}/{others['id']}", f"{PATH}/{others['id']}/approve"):
        answer = await (send(browser, path) if path.endswith("approve") else browser.get(path))
        assert answer.status_code == 404
    assert (await send(browser, f"{PATH}/{others['id']}/reject", reason="x")).status_code == 404
    notes = (await browser.get("/learn/notifications")).text
    assert await open_notification(browser, "Ana Lima") == f"{PATH}/{theirs['id']}"
    assert "Bruno" not in notes
    assert (await send(browser, f"{PATH}/{theirs['id']}/approve")).status_code == 303


async def test_managers_do_not_decide_about_themselves(world: World) -> None:
    plant = await unit(world, "Fábrica")
    manager = await made(world, "gestor", business_unit_id=str(plant))
    await manage(world, plant, manager.id)
    course = await world.course(self_enrollment="APPROVAL")
    _, request = await ask(world, manager.id, course)
    browser = await browser_of(world, manager)
    path = f"{PATH}/{request['id']}"
    assert "Somebody else answers this request" in (await browser.get(path)).text
    assert f"{path}/approve" not in (await browser.get(PATH)).text
    assert (await send(browser, f"{path}/approve")).status_code == 403
    assert (await send(browser, f"{path}/reject", reason="x")).status_code == 403


async def test_what_is_in_the_way_is_told(world: World) -> None:
    admin = await signed_in(world)
    request = await requested(world)
    path = f"{PATH}/{request['id']}/approve"
    await world.http.post(f"/v1/users/{request['user_id']}/suspend")
    await is_refused(admin, path, "This person is suspended.")
    await world.http.post(f"/v1/users/{request['user_id']}/reactivate")
    async with world.tx() as tx:
        await courses.archive(tx, UUID(request["course_id"]))
    await is_refused(admin, path, "This course is archived.")
    async with world.tx() as tx:
        await courses.restore(tx, UUID(request["course_id"]))
    await world.enrollment(user_id=request["user_id"], course_id=request["course_id"])
    await is_refused(admin, path, "This person is enrolled in the course already.")
    # Nobody has to answer a request of somebody who was enrolled in another way.
    assert "Ana Lima" not in (await admin.get(PATH)).text


async def is_refused(browser: httpx2.AsyncClient, path: str, words: str) -> None:
    answer = await send(browser, path)
    assert (answer.status_code, words in answer.text) == (422, True)


async def test_instructors_and_learners_do_not_decide(world: World) -> None:
    request = await requested(world)
    for role in ("instrutor", "learner"):
        browser = await signed_in(world, role)
        assert (await browser.get(PATH)).status_code == 403
        assert (await send(browser, f"{PATH}/{request['id']}/approve")).status_code == 403


async def test_the_form_of_a_course_sets_who_may_enroll(world: World) -> None:
    admin = await signed_in(world)
    course = await world.course(title="NR-35")
    path = f"/admin/courses/{course}/edit"
    assert "With approval" in (await admin.get(path)).text
    answer = await send(admin, path, title="NR-35", self_enrollment="APPROVAL")
    assert answer.status_code == 303
    read = (await world.http.get(f"/v1/courses/{course}")).json()["data"]
    assert read["self_enrollment"] == "APPROVAL"
    assert "With approval" in (await admin.get(f"/admin/courses/{course}")).text
