"""/admin/packages, with the worker's job run between the pages."""

import re
from time import process_time

import pytest

from conftest import World
from training.scorm.packages import package
from trilha.settings import Settings
from trilha.training.courses.rules import MAX_MODULES
from trilha.web.panel import choices
from web.panel.authoring import Worker, course, led_to, modules, of_parts, stored, upload
from web.panel.training_pages import browsing, flash, id_of, rows, send, teach

PATH = "/admin/packages"


@pytest.fixture
def worker(world: World, settings: Settings) -> Worker:
    return Worker(world, settings)


async def test_from_the_file_to_a_new_course(world: World, worker: Worker) -> None:
    admin = await browsing(world)
    empty = (await admin.get(PATH)).text
    assert "No package yet" in empty
    assert re.findall(r'href="([^"]+)" aria-current="page"', empty) == ["/admin/courses"]
    sent = await upload(admin, f"{PATH}/new", file=("nr-35.zip", of_parts("a", "b"), "application/zip"))
    address = sent.headers["location"]
    assert "Starting soon" in (await admin.get(address)).text
    htmx = {"hx-request": "true"}
    assert 'data-poll="2000"' in (await admin.get(f"{address}/progress", headers=htmx)).text
    await worker.run()
    done = await admin.get(f"{address}/progress", headers=htmx)
    assert done.headers["hx-redirect"] == address
    page = (await admin.get(address)).text
    assert "SCORM 1.2" in page
    assert "It has 2 parts; each becomes a module, in this order:" in page
    assert re.findall(r"<li>(Part .)</li>", page) == ["Part A", "Part B"]
    made = await send(admin, f"{address}/add", title="NR-35", minutes=61, required="true")
    id = led_to(made)
    found = await course(world, id)
    assert (found.title, found.slug, found.status) == ("NR-35", "nr-35", "DRAFT")
    shown = await modules(world, id)
    assert [(each.title, each.duration_minutes, each.required) for each in shown] == [
        ("Part A", 31, True),
        ("Part B", 30, True),
    ]
    assert "NR-35" in (await admin.get(address)).text
    assert f'href="{address}"' in (await admin.get(f"/admin/courses/{id}")).text
    assert rows((await admin.get(PATH)).text) == ["Safety at height"]
    assert "No results for" in (await admin.get(f"{PATH}?state=REFUSED")).text


async def test_as_many_parts_as_a_course_takes_are_added_in_time_that_grows_with_their_number(
    world: World, worker: Worker
) -> None:
    """If the whole package were read again for each part, this would take ten seconds."""
    admin = await browsing(world)
    raw = of_parts(*(f"p{n}" for n in range(MAX_MODULES)))
    sent = await upload(admin, f"{PATH}/new", file=("large.zip", raw, "application/zip"))
    await worker.run()
    began = process_time()
    made = await send(admin, f"{sent.headers['location']}/add", title="Large", minutes=500, required="true")
    assert process_time() - began < 4
    id = led_to(made)
    assert len(await modules(world, id)) == MAX_MODULES
    more = await send(admin, f"{sent.headers['location']}/add", course_id=id, minutes=1, required="true")
    assert (more.status_code, "A course can have up to 1,500 modules." in more.text) == (422, True)


async def test_to_a_course_that_is_there(
    world: World, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "MAX_OPTIONS", 1)  # the package has earlier parts
    admin = await browsing(world)
    await world.course(title="Altura")
    id = await world.course()
    sent = await upload(admin, f"{PATH}/new?course={id}", file=("x.zip", of_parts("a"), "application/zip"))
    assert sent.headers["location"].endswith(f"?course={id}")
    await worker.run()
    page = (await admin.get(sent.headers["location"])).text
    assert f'value="{id}" selected' in page
    address = sent.headers["location"].partition("?")[0]
    added = await send(admin, f"{address}/add?course={id}", course_id=id, minutes=5)
    assert flash(added) == "The package was added to the course."
    assert [(each.title, each.required) for each in await modules(world, id)] == [
        ("Um", True),
        ("Part A", False),
    ]


async def test_a_refused_package_says_why_and_is_added_nowhere(
    world: World, worker: Worker, settings: Settings
) -> None:
    admin = await browsing(world)
    admin.cookies.set("trilha_locale", "pt-BR", domain="trilha.test", path="/")
    raw = package(("../evil.html", "x"))
    sent = await upload(admin, f"{PATH}/new", file=("x.zip", raw, "application/zip"))
    await worker.run()
    address = sent.headers["location"]
    page = (await admin.get(address)).text
    assert "O nome de um arquivo aponta para fora do pacote." in page
    assert "evil.html" in page
    assert "/add" not in page
    refused = await send(admin, f"{address}/add", title="X")
    assert refused.status_code in (409, 422)
    assert (await world.http.get("/v1/courses")).json()["data"] == []
    assert stored(settings, world) == set()


async def test_no_file_is_no_package(world: World, settings: Settings) -> None:
    admin = await browsing(world)
    answer = await upload(admin, f"{PATH}/new")
    assert (answer.status_code, "Choose a file." in answer.text) == (422, True)
    lost = await upload(
        admin, f"{PATH}/new?course={world.tenant.id}", file=("x.zip", b"x", "application/zip")
    )
    assert lost.status_code == 404
    assert stored(settings, world) == set()


async def test_a_new_version_says_what_it_changes_and_changes_it(world: World, worker: Worker) -> None:
    admin = await browsing(world)
    id = await world.course(modules=[], publish=False)
    old = await upload(admin, f"{PATH}/new", file=("1.zip", of_parts("a", "b"), "application/zip"))
    await worker.run()
    await send(admin, f"{old.headers['location']}/add", course_id=id, minutes=10, required="true")
    before = await modules(world, id)
    replaces = f"course={id}&replaces={led_to(old)}"
    assert replaces.replace("&", "&amp;") in (await admin.get(f"/admin/courses/{id}")).text
    new = await upload(admin, f"{PATH}/new?{replaces}", file=("2.zip", of_parts("b", "c"), "application/zip"))
    assert new.headers["location"].endswith(f"?{replaces}")
    await worker.run()
    page = (await admin.get(new.headers["location"])).text
    parts = [re.findall(r"<li>(Part .)", each) for each in page.split("<section")[1:]]
    assert [each for each in parts if each] == [["Part B"], ["Part C"], ["Part A"]]
    assert [each.id for each in await modules(world, id)] == [each.id for each in before]
    address = new.headers["location"].partition("?")[0]
    assert flash(await send(admin, f"{address}/replace?{replaces}")) == "The course shows the new version."
    after = await modules(world, id)
    assert [each.title for each in after] == ["Part B", "Part C"]
    assert after[0].id == before[1].id
    assert {each.content["package_id"] for each in after} == {str(led_to(new))}


async def test_content_is_answered_leniently_in_its_new_version_too(world: World, worker: Worker) -> None:
    admin = await browsing(world)
    old = await upload(admin, f"{PATH}/new", file=("1.zip", of_parts("a"), "application/zip"))
    await worker.run()
    id = led_to(await send(admin, f"{old.headers['location']}/add", title="X", required="true"))
    here = f"/admin/courses/{id}/modules/{(await modules(world, id))[0].id}"
    told = len(await world.events("course.updated"))
    for _ in range(2):
        form = {"title": "A", "duration_minutes": 1, "required": "true"}
        await send(admin, here, **form, lenient_get="true", microphone="true")
    assert (await modules(world, id))[0].content["lenient_get"] is True
    assert (await modules(world, id))[0].content["microphone"] is True
    assert "camera" not in (await modules(world, id))[0].content
    assert len(await world.events("course.updated")) == told + 1
    replaces = f"course={id}&replaces={led_to(old)}"
    new = await upload(admin, f"{PATH}/new?{replaces}", file=("2.zip", of_parts("a", "z"), "application/zip"))
    await worker.run()
    await send(admin, f"{new.headers['location'].partition('?')[0]}/replace?{replaces}")
    content = (await modules(world, id))[0].content
    assert (content["package_id"], content["lenient_get"]) == (str(led_to(new)), True)
    assert content["microphone"] is True
    await send(admin, here, title="A", duration_minutes=1, required="true")
    assert "lenient_get" not in (await modules(world, id))[0].content


async def test_a_course_that_is_open_is_not_left_without_a_required_module(
    world: World, worker: Worker
) -> None:
    admin = await browsing(world)
    first = of_parts("a", "b")
    old = await upload(admin, f"{PATH}/new", file=("1.zip", first, "application/zip"))
    await worker.run()
    id = led_to(await send(admin, f"{old.headers['location']}/add", title="X", required="true"))
    only = (await modules(world, id))[1].id
    await send(admin, f"/admin/courses/{id}/modules/{only}", title="B", duration_minutes=1)
    await send(admin, f"/admin/courses/{id}/publish")
    replaces = f"course={id}&replaces={led_to(old)}"
    new = await upload(admin, f"{PATH}/new?{replaces}", file=("2.zip", of_parts("b", "z"), "application/zip"))
    await worker.run()
    # The module of B, which stays, is optional; that of C is required. So the course is completed.
    address = new.headers["location"].partition("?")[0]
    assert (await send(admin, f"{address}/replace?{replaces}")).status_code == 303


async def test_an_instructor_sees_what_they_sent_and_what_their_courses_show(
    world: World, worker: Worker
) -> None:
    admin, teacher = await browsing(world), await browsing(world, "instrutor")
    theirs = await upload(admin, f"{PATH}/new", file=("x.zip", of_parts("a"), "application/zip"))
    await worker.run()
    mine = await upload(teacher, f"{PATH}/new", file=("y.zip", package(), "application/zip"))
    await worker.run()
    assert (await teacher.get(mine.headers["location"])).status_code == 200
    assert (await teacher.get(theirs.headers["location"])).status_code == 404
    course = led_to(await send(teacher, f"{mine.headers['location']}/add", title="Y", required="true"))
    for package_id, status in ((led_to(mine), 200), (led_to(theirs), 404)):
        page = await teacher.get(f"{PATH}/new?course={course}&replaces={package_id}")
        assert page.status_code == status
    assert len(rows((await teacher.get(PATH)).text)) == 1
    id = await world.course(title="Alheio")
    assert (await send(teacher, f"{mine.headers['location']}/add", course_id=id)).status_code == 404
    assert "Alheio" not in (await teacher.get(mine.headers["location"])).text
    assert (await teacher.get(f"{PATH}/new?course={id}")).status_code == 404
    await send(admin, f"{theirs.headers['location']}/add", course_id=id)
    await teach(world, id, await id_of(world, "instrutor"))
    assert (await teacher.get(theirs.headers["location"])).status_code == 200
    made = led_to(await send(teacher, f"{mine.headers['location']}/add", title="Novo"))
    assert (await teacher.get(f"/admin/courses/{made}")).status_code == 200


async def test_nobody_else_s_packages_are_there(world: World, stranger: World, worker: Worker) -> None:
    admin = await browsing(world)
    sent = await upload(admin, f"{PATH}/new", file=("x.zip", of_parts("a"), "application/zip"))
    await worker.run()
    other = await browsing(stranger)
    address = sent.headers["location"]
    assert (await other.get(address)).status_code == 404
    assert (await send(other, f"{address}/add", title="X")).status_code == 404
    gestor = await browsing(world, "gestor")
    assert (await gestor.get(PATH)).status_code == 403
    assert (await gestor.get(address)).status_code == 403
    assert (await upload(gestor, f"{PATH}/new", file=("x.zip", b"x", "application/zip"))).status_code == 403
