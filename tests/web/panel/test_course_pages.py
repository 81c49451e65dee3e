"""/admin/courses"""

import re
from uuid import UUID

import pytest

from conftest import World
from trilha.people.users import actions as users
from trilha.training.reports import queries
from web.panel.training_pages import actions_on_record, browsing, id_of, manage, rows, send, teach, unit


def modules_of(page: str) -> list[str]:
    """Returns the modules as listed for people who may change them."""
    return re.findall(r'<input class="input outline__title"[^>]* value="([^"]+)"', page)


def stats(page: str) -> dict[str, str]:
    found = re.findall(
        r"<dt>(?:<a[^>]*>)?([^<]+)(?:</a>)?</dt>\s*<dd class=\"stat__value\">([^<]+)</dd>", page
    )
    return dict(found)


async def test_the_list_is_searched_filtered_and_sorted(world: World) -> None:
    admin = await browsing(world)
    assert "No courses yet" in (await admin.get("/admin/courses")).text
    course = await world.course(title="Órgãos")
    await world.course(title="Altura", publish=False)
    await world.enrollment(course_id=course)
    page = (await admin.get("/admin/courses")).text
    assert rows(page) == ["Altura", "Órgãos"]
    assert rows((await admin.get("/admin/courses?sort=-title")).text) == ["Órgãos", "Altura"]
    assert rows((await admin.get("/admin/courses?q=orgao")).text) == ["Órgãos"]
    assert rows((await admin.get("/admin/courses?status=DRAFT")).text) == ["Altura"]
    assert "No results for" in (await admin.get("/admin/courses?q=nada")).text


async def test_pages_by_title_follow_each_other(world: World) -> None:
    admin = await browsing(world)
    for number in range(22):
        await world.course(title=f"Curso {number:02}")
    page = (await admin.get("/admin/courses")).text
    more = page.partition('id="more"')[2].partition('href="')[2].partition('"')[0].replace("&amp;", "&")
    rest = (await admin.get(more, headers={"hx-request": "true"})).text
    assert rows(page) + rows(rest) == [f"Curso {number:02}" for number in range(22)]


async def test_a_course_shows_modules_and_numbers(world: World) -> None:
    admin = await browsing(world)
    course = await world.course(title="Altura")
    await world.enrollment(course_id=course)
    page = (await admin.get(f"/admin/courses/{course}")).text
    assert modules_of(page) == ["Um"]
    assert stats(page)["Enrollments"] == "1"
    assert stats(page)["Not started"] == "1"


async def test_teachers_are_added_and_removed(world: World) -> None:
    admin = await browsing(world)
    course = await world.course()
    teacher = await world.user(role="instrutor", name="Tales Reis")
    learner = await world.user(name="Lia Melo")
    address = f"/admin/courses/{course}/teachers"
    assert teacher["id"] in (await admin.get("/admin/courses/people?q=tales")).text
    await send(admin, address, user_id=teacher["id"])
    assert "Tales Reis" in (await admin.get(f"/admin/courses/{course}")).text
    refused = await send(admin, address, user_id=learner["id"])
    assert (refused.status_code, "with the instructor role" in refused.text) == (422, True)
    await send(admin, f"{address}/remove", user_id=teacher["id"])
    assert "Tales Reis" not in (await admin.get(f"/admin/courses/{course}")).text
    assert (await actions_on_record(world)).count("course.teachers_changed") == 2


async def test_who_is_no_longer_an_instructor_teaches_nothing(world: World) -> None:
    admin = await browsing(world)
    course = await world.course()
    teacher = await world.user(role="instrutor", name="Tales Reis")
    await teach(world, course, UUID(teacher["id"]))
    async with world.tx() as tx:
        await users.change_role(tx, UUID(teacher["id"]), "learner")
    assert "Tales Reis" not in (await admin.get(f"/admin/courses/{course}")).text


async def test_an_instructor_sees_what_they_teach(world: World) -> None:
    teacher = await browsing(world, "instrutor")
    assert "You do not teach any courses yet" in (await teacher.get("/admin/courses")).text
    taught, other = await world.course(title="Meu"), await world.course(title="Alheio")
    await teach(world, taught, await id_of(world, "instrutor"))
    assert rows((await teacher.get("/admin/courses")).text) == ["Meu"]
    assert (await teacher.get(f"/admin/courses/{taught}")).status_code == 200
    assert (await teacher.get(f"/admin/courses/{other}")).status_code == 404
    assert (await teacher.get(f"/admin/courses/{taught}/teachers")).status_code == 403
    added = await send(
        teacher, f"/admin/courses/{other}/teachers", user_id=str(await id_of(world, "instrutor"))
    )
    assert added.status_code == 403


async def test_a_managers_numbers_are_those_of_their_people(world: World) -> None:
    gestor = await browsing(world, "gestor")
    mine = await unit(world, "Minha")
    await manage(world, mine, await id_of(world, "gestor"))
    course = await world.course(title="Altura")
    near = await world.user(business_unit_id=str(mine))
    await world.enrollment(user_id=near["id"], course_id=course)
    await world.enrollment(course_id=course)
    page = (await gestor.get(f"/admin/courses/{course}")).text
    assert stats(page)["Enrollments"] == "1"
    assert stats(page)["Expired"] == "0"
    assert "Completed" not in (await gestor.get("/admin/courses")).text


async def test_a_manager_of_too_many_is_led_to_the_reports(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    gestor = await browsing(world, "gestor")
    mine = await unit(world, "Minha")
    await manage(world, mine, await id_of(world, "gestor"))
    course = await world.course(title="Altura")
    for _ in range(2):
        near = await world.user(business_unit_id=str(mine))
        await world.enrollment(user_id=near["id"], course_id=course)
    await world.enrollment(course_id=course)
    monkeypatch.setattr(queries, "_MANY", 2)
    assert stats((await gestor.get(f"/admin/courses/{course}")).text)["Enrollments"] == "2"
    monkeypatch.setattr(queries, "_MANY", 1)
    page = (await gestor.get(f"/admin/courses/{course}")).text
    assert "Too many people to count here" in page
    assert f'href="/admin/reports?course={course}"' in page
    assert (await gestor.get(f"/admin/reports?course={course}")).status_code == 200


async def test_another_companys_courses_are_not_there(world: World, stranger: World) -> None:
    admin = await browsing(stranger)
    course = await world.course()
    teacher = await stranger.user(role="instrutor")
    assert (await admin.get(f"/admin/courses/{course}")).status_code == 404
    assert (await admin.get(f"/admin/courses/{course}/teachers")).status_code == 404
    added = await send(admin, f"/admin/courses/{course}/teachers", user_id=teacher["id"])
    assert added.status_code == 404
    theirs = await world.user(role="instrutor")
    mine = await stranger.course()
    refused = await send(admin, f"/admin/courses/{mine}/teachers", user_id=theirs["id"])
    assert refused.status_code == 422


async def test_a_course_is_authored_by_buttons(world: World) -> None:
    admin = await browsing(world)
    modules = [{"title": each, "duration_minutes": 1} for each in ("A", "B")]
    course = await world.course(publish=False, modules=modules)
    address = f"/admin/courses/{course}"
    page = (await admin.get(address)).text
    assert ("Publish course" in page, "Archive course" in page) == (True, False)
    first = re.findall(r"/modules/([0-9a-f-]{36})/move", page)[0]
    assert (await send(admin, f"{address}/archive")).status_code == 422
    assert (await send(admin, f"{address}/modules/{first}/move", position=1, move="down")).status_code == 303
    assert modules_of((await admin.get(address)).text) == ["B", "A"]
    assert (await send(admin, f"{address}/publish")).status_code == 303
    assert (await send(admin, f"{address}/archive")).status_code == 303
    assert "Restore course" in (await admin.get(address)).text
    copied = await send(admin, f"{address}/duplicate")
    assert "Publish course" in (await admin.get(copied.headers["location"])).text
    empty = await world.course(publish=False, modules=[])
    refused = await send(admin, f"/admin/courses/{empty}/publish")
    assert (refused.status_code, "at least one required module" in refused.text) == (422, True)


async def test_who_may_not_author_a_course(world: World, stranger: World) -> None:
    course, taught = await world.course(), await world.course()
    teacher, manager = await browsing(world, "instrutor"), await browsing(world, "gestor")
    await teach(world, taught, await id_of(world, "instrutor"))
    for button in ("publish", "archive", "duplicate"):
        assert (await send(manager, f"/admin/courses/{course}/{button}")).status_code == 403
        assert (await send(teacher, f"/admin/courses/{course}/{button}")).status_code == 404
        admin = await browsing(stranger)
        assert (await send(admin, f"/admin/courses/{course}/{button}")).status_code == 404
    assert (await send(teacher, f"/admin/courses/{taught}/archive")).status_code == 303
    assert "Archive course" not in (await manager.get(f"/admin/courses/{course}")).text
