"""A learner chooses a class of a course, sees what is missing, and has a calendar."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2

from conftest import World
from training.classes.classes import Classes, offer, refusal
from training.learning.students import article
from web.learn.signing_in import learner, send, signed_in


def page_of(classes: Classes) -> str:
    return f"/learn/courses/{classes.course_id}/classes"


async def enrolled(world: World, classes: Classes) -> tuple[dict[str, Any], httpx2.AsyncClient]:
    user, browser = await learner(world)
    await world.enrollment(user_id=user["id"], course_id=classes.course_id)
    return user, browser


async def register(browser: httpx2.AsyncClient, classes: Classes, made: dict[str, Any]) -> httpx2.Response:
    page = page_of(classes)
    return await send(browser, page, f"{page}/{made['id']}/register")


async def test_a_learner_registers_and_cancels(world: World) -> None:
    classes = await offer(world, {"title": "Teoria", "duration_minutes": 10} | article(10), title="NR-35")
    session = classes.session(room="Sala 3", meeting_url="https://meet.example.com/x")
    made = await classes.create(session, maximum_people=3)
    user, browser = await enrolled(world, classes)
    page = page_of(classes)
    home = (await browser.get("/learn")).text
    assert "Choose a class" in home
    assert page in home
    shown = (await browser.get(page)).text
    assert "3 places left" in shown
    assert "Sala 3" in shown
    assert "https://meet.example.com/x" not in shown, "only for who has a place"
    assert (await register(browser, classes, made)).status_code == 303
    shown = (await browser.get(page)).text
    assert "You are registered" in shown
    assert "https://meet.example.com/x" in shown
    (registration,) = await classes.list_registrations(made)
    assert registration["user_id"] == user["id"]
    course = (await browser.get(f"/learn/enrollments/{registration['enrollment_id']}")).text
    for words in ("Next session:", "Sala 3", "https://meet.example.com/x", "Still missing: 4 h."):
        assert words in course, words
    home = (await browser.get("/learn")).text
    assert "Turma 1" in home
    assert "Choose a class" not in home
    assert "Turma 1" in (await browser.get("/learn/calendar?view=list")).text
    cancel = f"{page}/{made['id']}/cancel"
    assert (await browser.get(cancel)).status_code == 200
    assert (await send(browser, cancel, "", reason="Férias")).status_code == 303
    assert [each["status"] for each in await classes.list_registrations(made)] == ["CANCELLED"]
    assert (await browser.get(cancel)).status_code == 404


async def test_a_full_class_has_a_waiting_list_in_order(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(maximum_people=1)
    full = await classes.create(maximum_people=1, waiting_list=False, title="Turma cheia")
    for each in (made, full):
        await classes.register(each)
    _, browser = await enrolled(world, classes)
    shown = (await browser.get(page_of(classes))).text
    assert "Full, with a waiting list" in shown
    assert f"/{full['id']}/register" not in shown
    refused = await register(browser, classes, full)
    assert refused.status_code == 422
    assert "This class is full. Choose another one." in refused.text
    assert (await register(browser, classes, made)).status_code == 303
    assert "Waiting list, position 1" in (await browser.get(page_of(classes))).text
    again = await register(browser, classes, made)
    assert "You are in this class already." in again.text
    (first,) = await classes.list_registrations(made, status="REGISTERED")
    await classes.unregister(first)
    assert "You are registered" in (await browser.get(page_of(classes))).text


async def test_presence_that_is_missing_is_told(world: World) -> None:
    classes = await offer(world, percent=75)
    made = await classes.create(classes.session(-30), classes.session(24))
    user, browser = await enrolled(world, classes)
    registration = await classes.register(made, user["id"])
    await classes.attend(made["sessions"][0]["id"], {user["id"]: 120})
    await classes.judge()
    words = "Your presence: 2 h of 8 h. Still missing: 4 h."
    assert words in (await browser.get(page_of(classes))).text
    assert words in (await browser.get(f"/learn/enrollments/{registration['enrollment_id']}")).text
    module = f"/learn/enrollments/{registration['enrollment_id']}/modules/{classes.class_module}"
    player = (await browser.get(module)).text
    assert "This module is a class" in player
    assert words in player
    # It has started: who is in it stays, and nobody else gets in.
    late = await send(browser, page_of(classes), f"{page_of(classes)}/{made['id']}/cancel")
    assert late.status_code == 303
    assert (await classes.list_registrations(made))[0]["status"] == "REGISTERED"
    _, other = await enrolled(world, classes)
    assert (await register(other, classes, made)).status_code == 303
    assert len(await classes.list_registrations(made)) == 1
    assert "It has started" in (await other.get(page_of(classes))).text


async def test_presence_of_the_last_time_does_not_count_for_who_renews(world: World) -> None:
    classes = await offer(world)
    over, ahead = await classes.create(classes.session(-30)), await classes.create(title="Turma 2")
    seen = "Your presence: 2 h of 4 h."
    user, browser = await learner(world)
    pair = {"user_id": user["id"], "course_id": classes.course_id}
    first = await world.enrollment(**pair, expires_at=(world.clock() + timedelta(minutes=5)).isoformat())
    await classes.register(over, user["id"])
    await classes.attend(over["sessions"][0]["id"], {user["id"]: 120})
    old = f"/learn/enrollments/{first['id']}/modules/{classes.class_module}"
    assert seen in (await browser.get(old)).text
    held = await classes.register(ahead, user["id"])
    world.clock.move(minutes=10)
    second = await world.enrollment(**pair)
    course = f"/learn/enrollments/{second['id']}"
    for page in (course, f"{course}/modules/{classes.class_module}", page_of(classes)):
        answer = await browser.get(page)
        assert answer.status_code in (200, 409), page
        assert seen not in answer.text, page
    # A place in a class that has not ended will count for the new enrollment.
    assert "Turma 2" in (await browser.get(course)).text
    # So will a place in a class that has no date any more.
    await classes.post(f"sessions/{ahead['sessions'][0]['id']}/cancel", reason="Chuva")
    assert "Turma 2" in (await browser.get(course)).text
    await classes.unregister(held)
    assert "You have no class yet." in (await browser.get(course)).text


async def test_an_open_course_enrolls_and_one_with_approval_asks(world: World) -> None:
    opened = await offer(world, self_enrollment="OPEN")
    asking = await offer(world, self_enrollment="APPROVAL")
    closed = await offer(world)
    classes = [await each.create() for each in (opened, asking, closed)]
    user, browser = await learner(world)
    assert "Enroll and register" in (await browser.get(page_of(opened))).text
    assert (await register(browser, opened, classes[0])).status_code == 303
    (registration,) = await opened.list_registrations(classes[0])
    assert registration["user_id"] == user["id"]
    assert "needs the approval of your manager" in (await browser.get(page_of(asking))).text
    assert (
        await send(browser, page_of(asking), f"{page_of(asking)}/{classes[1]['id']}/register")
    ).status_code == 303
    assert "Your request awaits approval" in (await browser.get(page_of(asking))).text
    assert await asking.list_registrations(classes[1]) == []
    assert (await browser.get(page_of(closed))).status_code == 404
    answer = await send(browser, "/learn", f"{page_of(closed)}/{classes[2]['id']}/register")
    assert answer.status_code == 404
    assert await closed.list_registrations(classes[2]) == []


async def test_an_expired_enrollment_gives_no_place(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(72))
    user, browser = await learner(world)
    ends = (world.clock() + timedelta(minutes=10)).isoformat()
    await world.enrollment(user_id=user["id"], course_id=classes.course_id, expires_at=ends)
    world.clock.move(minutes=20)
    assert (await register(browser, classes, made)).status_code == 303
    assert await classes.list_registrations(made) == []


async def test_a_class_of_another_course_or_company_is_not_found(world: World, stranger: World) -> None:
    classes, others = await offer(world), await offer(world)
    elsewhere = await offer(stranger)
    made, foreign = await others.create(), await elsewhere.create()
    _, browser = await enrolled(world, classes)
    for each in (made, foreign):
        assert (await register(browser, classes, each)).status_code == 404
    assert (await browser.get(page_of(elsewhere))).status_code == 404
    assert await others.list_registrations(made) == []


async def test_a_cancelled_class_says_why(world: World) -> None:
    classes = await offer(world)
    made = await classes.create()
    user, browser = await enrolled(world, classes)
    await classes.register(made, user["id"])
    await classes.post(f"classes/{made['id']}/cancel", reason="O instrutor adoeceu.")
    shown = (await browser.get(page_of(classes))).text
    assert "O instrutor adoeceu." in shown
    assert "No classes" not in shown
    assert "line" not in refusal(await classes.register_response(made, user["id"]))[1]


async def test_an_instructor_without_the_panel_sees_their_sessions(world: World) -> None:
    classes = await offer(world)
    user, browser = await learner(world)
    made = await classes.create(classes.session(instructor_ids=[user["id"]]))
    calendar = (await browser.get("/learn/calendar?view=list")).text
    assert "you teach it" in calendar
    shown = (await browser.get(page_of(classes))).text
    assert made["title"] in shown
    assert "/register" not in shown


async def test_the_calendar_shows_overlaps_due_dates_and_every_view(world: World) -> None:
    world.clock.move(hours=(12 - world.clock.now.hour) % 24)  # so that no day ends during the test
    classes = await offer(world)
    user, browser = await learner(world)
    ends = (world.clock() + timedelta(days=2)).isoformat()
    await world.enrollment(user_id=user["id"], course_id=classes.course_id, expires_at=ends)
    for title in ("Turma A", "Turma B"):
        await classes.register(await classes.create(title=title), user["id"])
    listed = (await browser.get("/learn/calendar?view=list")).text
    assert listed.count("You are in another session at this time") == 2
    assert "Due: " in listed
    day = (world.clock() + timedelta(days=1)).date().isoformat()
    for view in ("", "&view=month", "&view=week"):
        page = await browser.get(f"/learn/calendar?day={day}{view}")
        assert page.status_code == 200
        assert "Turma A" in page.text, view
    assert (await browser.get("/learn/calendar?view=year")).status_code in (400, 422)
    other = await signed_in(world, (await world.user())["email"])
    assert "Turma A" not in (await other.get("/learn/calendar?view=list")).text


async def test_who_has_completed_a_course_sees_its_classes_only(world: World) -> None:
    classes = await offer(world)
    made = await classes.create(classes.session(-30))
    await classes.create(title="Turma 2")
    user, browser = await learner(world)
    registration = await classes.register(made, user["id"])
    await classes.attend(made["sessions"][0]["id"], {user["id"]: 240})
    await classes.judge()
    assert (await classes.enrollment(registration))["status"] == "COMPLETED"
    shown = (await browser.get(page_of(classes))).text
    assert "Turma 2" in shown
    assert "/register" not in shown
    assert UUID(user["id"])
