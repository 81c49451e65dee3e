"""Evaluations of completed courses, and their anonymous results."""

from uuid import UUID

import pytest

from conftest import World
from training.requirements.settling import complete
from trilha.people.users.schema import User
from trilha.training.courses import actions as courses
from trilha.training.evaluations.jobs import ASK_DUE
from web.panel.signing_in import browser_of, made, open_notification, send, signed_in

GOOD = {"content": 5, "clarity": 4, "instructor": 5, "platform": 3, "applicability": 5, "nps": 10}


async def completed(world: World, user: User, course: UUID) -> str:
    """Returns the address of the person's page of a completed course."""
    enrollment = await world.enrollment(user_id=str(user.id), course_id=course)
    await complete(world, enrollment["id"])
    return f"/learn/enrollments/{enrollment['id']}"


async def evaluated(world: World, course: UUID, count: int, **answers: object) -> list[tuple[User, str]]:
    """Lets people evaluate a course; returns them with the addresses of their pages."""
    people = []
    for number in range(count):
        user = await made(world, name=f"Pessoa {number}")
        page = await completed(world, user, course)
        answer = await send(await browser_of(world, user), f"{page}/evaluation", **(GOOD | answers))
        assert answer.status_code == 303, answer.text
        people.append((user, page))
    return people


async def test_results_appear_with_the_fifth_answer(world: World) -> None:
    course = await world.course(title="NR-35")
    results, ratings = f"/admin/courses/{course}/evaluations", f"/v1/courses/{course}/ratings"
    await evaluated(world, course, 4, text="<b>Muito bom</b>")
    admin = await signed_in(world)
    for address in (results, f"{results}.csv", f"/admin/courses/{course}"):
        text = (await admin.get(address)).text
        assert "Muito bom" not in text
        assert "Promoters" not in text
        assert "promoters" not in text
    none = (await world.http.get(ratings)).json()["data"]
    assert none.pop("course_id") == str(course)
    assert none.pop("rating_count") == 0
    assert set(none.values()) == {None}
    await evaluated(world, course, 1, nps=0, text="=Ruim")
    shown = (await admin.get(results)).text
    assert "&lt;b&gt;Muito bom&lt;/b&gt;" in shown
    assert "=Ruim" in shown
    assert "Pessoa" not in shown.partition("<main")[2]
    data = (await world.http.get(ratings)).json()["data"]
    assert data["rating_count"] == 5
    assert data["nps"] == {"score": 60, "promoters": 4, "passives": 0, "detractors": 1}
    assert data["platform"] == {"answers": 5, "average": 3.0, "distribution": [0, 0, 5, 0, 0]}
    assert data["applied"] is None
    file = (await admin.get(f"{results}.csv")).content.decode("utf-8-sig")
    assert "nps,score,60" in file
    assert "text,,'=Ruim" in file
    assert "Pessoa" not in file
    assert "View results" in (await admin.get(f"/admin/courses/{course}")).text
    await evaluated(world, course, 4)
    assert (await world.http.get(ratings)).json()["data"]["rating_count"] == 5, "four more are too few"


async def test_a_learner_answers_changes_and_skips(world: World) -> None:
    course = await world.course()
    user = await made(world)
    page = await completed(world, user, course)
    learner = await browser_of(world, user)
    assert f'href="{page}/evaluation"' in (await learner.get(page)).text
    assert (await send(learner, f"{page}/evaluation/skip")).status_code == 303
    assert f'href="{page}/evaluation"' not in (await learner.get(page)).text
    missing = await send(learner, f"{page}/evaluation", **{**GOOD, "clarity": ""})
    assert missing.status_code == 422
    assert "Choose a grade." in missing.text
    for wrong in ({"content": 6}, {"content": 0}, {"nps": 11}, {"nps": -1}, {"text": "x" * 2001}):
        assert (await send(learner, f"{page}/evaluation", **(GOOD | wrong))).status_code in (400, 422)
    assert (await send(learner, f"{page}/evaluation", **GOOD, text="Bom")).status_code == 303
    assert "Bom" in (await learner.get(f"{page}/evaluation")).text
    assert (await send(learner, f"{page}/evaluation", **GOOD, text="Ótimo")).status_code == 303
    (own,) = (await learner.get("/api/users/me/data-export")).json()["evaluations"]
    assert (own["nps"], own["text"]) == (10, "Ótimo")


async def test_only_ones_own_completed_course_can_be_evaluated(world: World) -> None:
    course = await world.course()
    user, other = await made(world), await made(world)
    page = await completed(world, user, course)
    begun = await world.enrollment(user_id=str(other.id), course_id=course)
    stranger = await browser_of(world, other)
    assert (await send(stranger, f"{page}/evaluation", **GOOD)).status_code == 404
    assert (await send(stranger, f"{page}/evaluation/skip")).status_code == 404
    own = f"/learn/enrollments/{begun['id']}/evaluation"
    assert (await stranger.get(own)).status_code == 404
    assert (await send(stranger, own, **GOOD)).status_code == 404


async def test_ninety_days_later_people_are_asked_once(world: World) -> None:
    course = await world.course(title="NR-35")
    people = await evaluated(world, course, 5)
    user, page = people[0]
    assert (await (await browser_of(world, user)).get(f"{page}/evaluation/follow-up")).status_code == 404
    world.clock.move(days=89)
    await ASK_DUE.run_in(world.database, world.tenant.id)
    bell = "/learn/notifications"
    assert "90 days ago" not in (await (await browser_of(world, user)).get(bell)).text
    world.clock.move(days=1)
    for _ in range(2):
        await ASK_DUE.run_in(world.database, world.tenant.id)
    learner = await browser_of(world, user)
    assert (await learner.get(bell)).text.count("90 days ago") == 1
    assert await open_notification(learner, "90 days ago") == f"{page}/evaluation/follow-up"
    ratings = f"/v1/courses/{course}/ratings"
    for number, (user, page) in enumerate(people):
        assert (await world.http.get(ratings)).json()["data"]["applied"] is None
        learner = await browser_of(world, user)
        assert (await send(learner, f"{page}/evaluation/follow-up")).status_code == 422
        form = {"applied": 1 + number % 2, "text": "Uso o talabarte" if number else ""}
        assert (await send(learner, f"{page}/evaluation/follow-up", **form)).status_code == 303
    data = (await world.http.get(ratings)).json()["data"]
    assert data["applied"] == {"answers": 5, "average": 1.4, "distribution": [3, 2, 0, 0, 0]}
    admin = await signed_in(world)
    assert "Uso o talabarte" in (await admin.get(f"/admin/courses/{course}/evaluations")).text


async def test_a_company_can_turn_evaluations_off(world: World) -> None:
    course = await world.course()
    ((user, page),) = await evaluated(world, course, 1)
    settings = "/admin/settings/evaluations"
    assert (await send(await signed_in(world), settings)).status_code == 303
    learner = await browser_of(world, user)
    assert (await learner.get(f"{page}/evaluation")).status_code == 404
    world.clock.move(days=91)
    await ASK_DUE.run_in(world.database, world.tenant.id)
    assert "90 days ago" not in (await (await browser_of(world, user)).get("/learn/notifications")).text
    admin = await signed_in(world)
    assert "is off" in (await admin.get(f"/admin/courses/{course}/evaluations")).text
    assert "checked" not in (await admin.get(settings)).text.partition("<main")[2]
    await send(admin, settings, offered="true")
    assert "checked" in (await admin.get(settings)).text.partition("<main")[2]


@pytest.mark.parametrize("role", ["instrutor", "learner"])
async def test_others_courses_results_are_not_shown(world: World, role: str) -> None:
    teacher = await made(world, "instrutor")
    course = await world.course()
    async with world.tx() as tx:
        await courses.set_teachers(tx, course, [teacher.id])
    results = f"/admin/courses/{course}/evaluations"
    stranger = await signed_in(world, role)  # type: ignore[arg-type]
    for address in (results, f"{results}.csv"):
        assert (await stranger.get(address)).status_code in (403, 404)
        assert (await (await browser_of(world, teacher)).get(address)).status_code == 200
