"""Classes, their sessions and people in the panel, and the calendar."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2

from conftest import World
from training.classes.classes import Classes, offer
from trilha.training.courses import actions as courses
from trilha.training.meetings import actions as meetings
from trilha.training.meetings.schema import Credentials
from web.panel.signing_in import browser_of, made, send, signed_in
from web.panel.training_pages import flash, rows

PATH = "/admin/classes"


def new_address(classes: Classes) -> str:
    return f"/admin/courses/{classes.course_id}/modules/{classes.class_module}/classes/new"


def fields(classes: Classes, **members: Any) -> dict[str, Any]:
    """The form of a class that meets tomorrow morning."""
    day = (classes.world.clock() + timedelta(days=1)).date().isoformat()
    form = {
        "title": "NR-35, turma A",
        "maximum_people": "2",
        "minimum_people": "1",
        "waiting_list": "true",
        "weeks": "1",
        "day": day,
        "starts": "09:00",
        "ends": "13:00",
        "time_zone": "America/Sao_Paulo",
        "room": "Sala 3",
    }
    return form | members


async def schedule(browser: httpx2.AsyncClient, classes: Classes, **members: Any) -> str:
    """Creates a class, and returns its address."""
    answer = await send(browser, new_address(classes), **fields(classes, **members))
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def test_an_administrator_schedules_a_class(world: World) -> None:
    classes = await offer(world, title="Trabalho em altura")
    browser = await signed_in(world)
    assert "No classes yet" in (await browser.get(PATH)).text
    assert "Trabalho em altura" in (await browser.get(f"{PATH}/new")).text
    chosen = await browser.get(f"{PATH}/new?module={classes.class_module}")
    assert chosen.headers["location"] == new_address(classes)
    assert (await browser.get(new_address(classes))).status_code == 200
    here = await schedule(browser, classes, weeks="3")
    page = (await browser.get(here)).text
    assert page.count('class="sessions__item"') == 3
    assert "9:00\u202fAM – 1:00\u202fPM" in page
    assert "Sala 3" in page
    assert rows((await browser.get(PATH)).text) == ["NR-35, turma A"]
    for filters in (f"course={classes.course_id}", "when=month", "status=scheduled"):
        assert rows((await browser.get(f"{PATH}?{filters}")).text) == ["NR-35, turma A"], filters
    for filters in ("when=past", "status=ended"):
        assert "No results" in (await browser.get(f"{PATH}?{filters}")).text, filters


async def test_problems_are_told_beside_their_fields(world: World) -> None:
    classes = await offer(world)
    browser = await signed_in(world)
    address = new_address(classes)
    for wrong, sentence in (
        ({"ends": "09:00"}, "Enter an end after the start."),
        ({"starts": "9h"}, "Enter a time, such as 09:30."),
        ({"maximum_people": "0"}, "Enter a number from 1 to 10,000."),
        ({"minimum_people": "3"}, "Enter at most the number of places."),
        ({"meeting_url": "http://x.example"}, "Enter an address that begins with https://."),
        ({"time_zone": "Mars/Base"}, "Choose one of the time zones."),
        ({"day": "2031-02-30"}, "Enter a date, such as 11/21/2026."),
        ({"title": ""}, "Fill in this field."),
        ({"ends_on": "2199-12-31"}, "A session lasts at most 7 days."),
    ):
        answer = await send(browser, address, **fields(classes, **wrong))
        assert answer.status_code == 422, (wrong, answer.status_code)
        assert sentence in answer.text, (wrong, answer.text[-3000:])


async def test_sessions_are_added_changed_and_cancelled(world: World) -> None:
    classes = await offer(world)
    teacher = await made(world, name="Rui Prado")
    browser = await signed_in(world)
    here = await schedule(browser, classes)
    values = {each: fields(classes)[each] for each in ("day", "starts", "ends", "time_zone", "room")}
    assert (await browser.get(f"{here}/sessions/new")).status_code == 200
    answer = await send(
        browser,
        f"{here}/sessions/new",
        **values | {"starts": "14:00", "ends": "15:00", "add_instructor": str(teacher.id)},
    )
    assert flash(answer) == "The session was added."
    page = (await browser.get(here)).text
    assert "Rui Prado" in page
    ids = re.findall(r'id="session-([0-9a-f-]+)"', page)
    edit = f"/admin/sessions/{ids[1]}/edit"
    form = (await browser.get(edit)).text
    assert 'value="14:00"' in form
    assert f'value="{teacher.id}" checked' in form
    lisbon = values | {"starts": "18:00", "ends": "19:00", "time_zone": "Europe/Lisbon", "room": "Porto"}
    assert flash(await send(browser, edit, **lisbon)) == "The session was saved."
    page = (await browser.get(here)).text
    assert "Porto" in page
    assert "Rui Prado" not in page
    cancel = f"/admin/sessions/{ids[1]}/cancel"
    assert (await browser.get(cancel)).status_code == 200
    assert (await send(browser, cancel)).status_code == 422
    assert flash(await send(browser, cancel, reason="Chuva")) == "The session was canceled."
    assert "Chuva" in (await browser.get(here)).text
    refused = await send(browser, edit, **lisbon | {"starts": "10:00"})
    assert "This session was canceled, so it cannot change." in refused.text
    lead = await browser.get(f"/admin/sessions/{ids[0]}")
    assert lead.headers["location"] == f"{here}#session-{ids[0]}"


async def test_overlaps_are_told_and_refuse_nothing(world: World) -> None:
    classes = await offer(world)
    browser = await signed_in(world)
    await schedule(browser, classes)
    answer = await send(browser, new_address(classes), **fields(classes, title="Turma B", room="SALA  3"))
    assert answer.status_code == 303
    page = (await browser.get(answer.headers["location"])).text
    assert "Overlaps with other sessions" in page
    assert "The room is in use" in page
    calendar = (await browser.get("/admin/calendar?view=list")).text
    assert calendar.count("The room is in use at this time") == 2


async def test_places_change_and_who_waits_moves_up(world: World) -> None:
    classes = await offer(world)
    browser = await signed_in(world)
    here = await schedule(browser, classes, maximum_people="1")
    users = [await made(world, name=name) for name in ("Ana Lima", "Bia Melo")]
    for user in users:
        await send(browser, f"{here}/register", user_id=str(user.id))
    assert "Ana Lima" in (await browser.get(here)).text
    assert "Bia Melo" in (await browser.get(f"{here}?state=waitlisted")).text
    edit = {"title": "Turma Z", "minimum_people": "0", "waiting_list": "true"}
    moved = await send(browser, f"{here}/edit", **edit, maximum_people="2")
    assert flash(moved) == "The class was saved. People who moved up from the waiting list: 1."
    refused = await send(browser, f"{here}/edit", **edit, maximum_people="1")
    assert refused.status_code == 422
    assert "More people have a place than this number." in refused.text
    page = (await browser.get(here)).text
    registration = re.search(rf"{here}/people/([0-9a-f-]+)/cancel", page)
    assert registration
    cancel = f"{here}/people/{registration[1]}/cancel"
    assert (await browser.get(cancel)).status_code == 200
    assert "was canceled" in flash(await send(browser, cancel, reason="Férias"))
    assert "Férias" in (await browser.get(f"{here}?state=cancelled")).text


async def test_a_class_is_cancelled_with_a_reason(world: World) -> None:
    classes = await offer(world)
    browser = await signed_in(world)
    here = await schedule(browser, classes)
    assert (await send(browser, f"{here}/cancel")).status_code == 422
    assert (
        flash(await send(browser, f"{here}/cancel", reason="Poucos inscritos")) == "The class was canceled."
    )
    page = (await browser.get(here)).text
    assert "Poucos inscritos" in page
    assert "/edit" not in page
    user = await made(world)
    refused = await send(browser, f"{here}/register", user_id=str(user.id))
    assert "This class was canceled" in refused.text


async def test_many_people_are_registered_and_failures_are_listed(world: World) -> None:
    classes = await offer(world)
    browser = await signed_in(world)
    here = await schedule(browser, classes, maximum_people="2", waiting_list="")
    users = [await made(world, name=f"Pessoa {number}") for number in range(3)]
    address = f"{here}/register-many"
    assert "Pessoa 1" in (await browser.get(address)).text
    assert "Select people first" in flash(await send(browser, address))
    answer = await send(browser, address, id=[str(each.id) for each in users])
    assert answer.status_code == 200
    assert "No place is left" in answer.text
    again = await send(browser, address, id=[str(each.id) for each in users[:2]])
    assert again.status_code == 303
    assert (await send(browser, f"{here}/register", user_id=str(users[2].id))).status_code == 422


async def test_people_without_a_class_are_registered_at_once(world: World) -> None:
    classes = await offer(world)
    browser = await signed_in(world)
    here = await schedule(browser, classes)
    for _ in range(2):
        await world.enrollment(user_id=(await world.user())["id"], course_id=classes.course_id)
    assert "2 people are enrolled in the course and have no class yet." in (await browser.get(here)).text
    answer = await send(browser, f"{here}/register-enrolled")
    assert flash(answer) == "Registered: 2. On the waiting list: 0. Already in: 0."
    assert "have no class yet" not in (await browser.get(here)).text
    assert "Everybody enrolled has a class" in flash(await send(browser, f"{here}/register-enrolled"))


async def test_an_instructor_sees_own_classes_and_changes_nothing(world: World) -> None:
    classes, others = await offer(world), await offer(world)
    teacher = await made(world, "instrutor")
    admin, browser = await signed_in(world), await browser_of(world, teacher)
    here = await schedule(admin, classes, add_instructor=str(teacher.id))
    elsewhere = await schedule(admin, others, title="Outra")
    person = await made(world, name="Ana Lima")
    await send(admin, f"{here}/register", user_id=str(person.id))
    assert rows((await browser.get(PATH)).text) == ["NR-35, turma A"]
    assert "Ana Lima" in (await browser.get(here)).text
    assert (await browser.get(elsewhere)).status_code == 404
    calendar = (await browser.get("/admin/calendar?view=month")).text
    assert here in calendar
    assert elsewhere not in calendar
    for address in (f"{here}/edit", f"{here}/register", f"{here}/register-many", f"{here}/cancel"):
        assert (await browser.get(address)).status_code == 403, address
    async with world.tx() as tx:
        await courses.set_teachers(tx, others.course_id, [teacher.id])
    assert (await browser.get(elsewhere)).status_code == 200


async def test_a_manager_registers_people_of_their_units(world: World) -> None:
    from trilha.people.business_units import actions as units
    from web.panel.training_pages import unit

    classes = await offer(world)
    manager = await made(world, "gestor")
    mine = await unit(world, "Operação")
    async with world.tx() as tx:
        await units.set_managers(tx, mine, [manager.id])
    inside = await made(world, name="Ana Lima", business_unit_id=str(mine))
    outside = await made(world, name="Bia Melo")
    admin, browser = await signed_in(world), await browser_of(world, manager)
    here = await schedule(admin, classes)
    await send(admin, f"{here}/register", user_id=str(outside.id))
    picker = (await browser.get(f"{here}/register-many")).text
    assert "Ana Lima" in picker
    assert "Bia Melo" not in picker
    assert (await send(browser, f"{here}/register", user_id=str(outside.id))).status_code == 404
    assert (await send(browser, f"{here}/register", user_id=str(inside.id))).status_code == 303
    page = (await browser.get(here)).text
    assert "Ana Lima" in page
    assert "Bia Melo" not in page
    other = re.search(rf"{here}/people/([0-9a-f-]+)/cancel", (await admin.get(f"{here}?q=Bia")).text)
    assert other
    assert (await browser.get(f"{here}/people/{other[1]}/cancel")).status_code == 404
    assert (await browser.get(f"{here}/edit")).status_code == 403


async def test_learners_see_no_classes_in_the_panel(world: World) -> None:
    browser = await signed_in(world, "learner")
    for address in (PATH, "/admin/calendar"):
        assert (await browser.get(address)).status_code == 403


async def test_the_calendar_shows_a_month_a_week_and_a_list(world: World) -> None:
    classes = await offer(world)
    browser = await signed_in(world)
    here = await schedule(browser, classes)
    day = fields(classes)["day"]
    for view in ("", "&view=month", "&view=week", "&view=list"):
        page = await browser.get(f"/admin/calendar?day={day}{view}")
        assert page.status_code == 200
        assert here in page.text, view
    for wrong in ("view=year", "day=yesterday", "course=1", "x=1"):
        assert (await browser.get(f"/admin/calendar?{wrong}")).status_code in (400, 404, 422), wrong
    assert here not in (await browser.get("/admin/calendar?day=2199-12-31&view=month")).text
    assert (await browser.get("/admin/calendar?day=2000-01-01")).status_code == 200


async def test_authors_add_a_module_of_classes(world: World) -> None:
    course = await world.course()
    browser = await signed_in(world)
    address = f"/admin/courses/{course}/modules/new/class"
    assert 'value="100"' in (await browser.get(address)).text
    form = {"title": "Prática", "duration_minutes": "240", "required": "true"}
    assert (await send(browser, address, **form, presence_percent="0")).status_code == 422
    answer = await send(browser, address, **form, presence_percent="75")
    module = answer.headers["location"]
    page = (await browser.get(module)).text
    assert 'value="75"' in page
    assert f"{module}/classes/new" in page
    assert (await send(browser, module, **form, presence_percent="80")).status_code == 303
    assert 'value="80"' in (await browser.get(module)).text
    async with world.tx() as tx:
        assert (
            await tx.value(
                "SELECT presence_percent FROM modules WHERE tenant_id = :tenant AND id = :id",
                id=UUID(module.rpartition("/")[2]),
            )
            == 80
        )


async def test_a_class_leads_to_the_pages_of_its_sessions(world: World) -> None:
    classes = await offer(world, title="Trabalho em altura")
    admin, manager = await signed_in(world), await signed_in(world, "gestor")
    here = await schedule(admin, classes)
    page = (await admin.get(here)).text
    addresses = re.findall(
        r'href="(/admin/sessions/[0-9a-f-]{36}/(?:attendance|check-in|list\.pdf|scans))"', page
    )
    assert [each.rpartition("/")[2] for each in addresses] == ["attendance", "check-in", "list.pdf", "scans"]
    for each in addresses:
        answer = await admin.get(each)
        assert answer.status_code == 200, each
        if not each.endswith(".pdf"):
            assert f'href="{here.partition("#")[0]}"' in answer.text, each
    assert "/check-in" not in (await manager.get(here)).text


async def test_a_session_asks_a_service_for_its_link(world: World) -> None:
    classes = await offer(world, title="Trabalho em altura")
    admin = await signed_in(world)
    assert "Create the link with" not in (await admin.get(new_address(classes))).text
    refused = await send(admin, new_address(classes), **fields(classes, meeting_service="zoom"))
    assert refused.status_code in (409, 422)
    async with world.tx() as tx:
        await meetings.set_up(tx, "zoom", "ana@example.com", Credentials("a", "b", "c"))
    assert "Create the link with" in (await admin.get(new_address(classes))).text
    both = {"meeting_service": "zoom", "meeting_url": "https://meet.example/x"}
    refused = await send(admin, new_address(classes), **fields(classes, **both))
    assert refused.status_code == 422
    assert "Choose either a link or a service" in refused.text
    here = await schedule(admin, classes, meeting_service="zoom", weeks="2", room="")
    page = (await admin.get(here)).text
    assert page.count("Zoom is creating the link") == 2
    async with world.tx() as tx:
        assert await tx.value("SELECT count(*) FROM meeting_requests WHERE tenant_id = :tenant") == 2


async def test_a_link_that_was_made_while_a_form_was_open_stays(world: World) -> None:
    classes = await offer(world)
    admin = await signed_in(world)
    session = (await classes.create())["sessions"][0]
    address, path = f"/admin/sessions/{session['id']}/edit", f"/v1/sessions/{session['id']}"
    link = "https://meet.example/abc"

    async def save(shown: str, **values: str) -> Any:
        values |= {"shown_meeting_url": shown}
        answer = await send(admin, address, **fields(classes, **values))
        assert answer.status_code == 303, answer.text
        return (await world.http.get(path)).json()["data"]

    def read_shown(page: str) -> str:
        found = re.search(r'name="shown_meeting_url" value="([^"]*)"', page)
        assert found
        return found[1]

    shown = read_shown((await admin.get(address)).text)
    assert (await world.http.patch(path, json={"meeting_url": link})).status_code == 200
    changed = await save(shown, room="Torre 2", meeting_url="")
    assert (changed["room"], changed["meeting_url"]) == ("Torre 2", link)
    shown = read_shown((await admin.get(address)).text)
    assert shown == link
    assert (await save(shown, meeting_url=""))["meeting_url"] is None
