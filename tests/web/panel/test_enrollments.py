"""/admin/enrollments"""

from uuid import UUID

from conftest import CNH, CPF, World
from trilha.core.types import Name
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.training.enrollments import actions
from web.panel.training_pages import (
    actions_on_record,
    browsing,
    flash,
    id_of,
    manage,
    rows,
    send,
    teach,
    unit,
)

LIST = "/admin/enrollments"


async def enrolled(world: World) -> set[tuple[str, str]]:
    """Returns pairs of person and course."""
    listed = (await world.http.get("/v1/enrollments?limit=100")).json()["data"]
    return {(each["user_id"], each["course_id"]) for each in listed}


async def test_the_list_is_filtered_searched_and_sorted(world: World) -> None:
    admin = await browsing(world)
    assert "No enrollments yet" in (await admin.get(LIST)).text
    factory = await unit(world, "Fábrica")
    below = await unit(world, "Linha 2", factory)
    ana = await world.user(name="Ana Lima", business_unit_id=str(below))
    bia = await world.user(name="Bia Sá")
    one, two = await world.course(title="Altura"), await world.course(title="Fogo")
    first = await world.enrollment(user_id=ana["id"], course_id=one)
    world.clock.move(minutes=1)
    await world.enrollment(user_id=bia["id"], course_id=two)
    world.clock.move(minutes=1)
    async with world.tx() as tx:
        await actions.start(tx, UUID(first["id"]))
        group = await groups.create(tx, NewLearningGroup(name=Name("Brigada")))
        await groups.add_members(tx, group.id, [UUID(bia["id"])])

    async def found(**params: object) -> list[str]:
        return rows((await admin.get(LIST, params=params)).text)

    assert await found() == ["Bia Sá", "Ana Lima"]
    assert await found(sort="created") == ["Ana Lima", "Bia Sá"]
    assert await found(sort="-updated") == ["Ana Lima", "Bia Sá"]
    assert await found(q="lima") == ["Ana Lima"]
    assert await found(course=one) == ["Ana Lima"]
    assert await found(status="in_progress") == ["Ana Lima"]
    assert await found(status="completed") == []
    assert await found(unit=factory) == ["Ana Lima"]
    assert await found(group=group.id) == ["Bia Sá"]
    assert await found(user=bia["id"]) == ["Bia Sá"]
    assert await found(q="lima", course=two) == []
    page = (await admin.get(LIST, params={"course": str(one), "q": "lima"})).text
    assert f'href="{LIST}?course={one}"' in page  # the chip that removes the search


async def test_pages_of_rows_follow_each_other(world: World) -> None:
    admin = await browsing(world)
    course = await world.course()
    names = [f"Pessoa {number:02}" for number in range(23)]
    for name in names:
        world.clock.move(seconds=1)
        await world.enrollment(user_id=(await world.user(name=name))["id"], course_id=course)
    page = (await admin.get(LIST)).text
    more = page.partition('id="more"')[2].partition('href="')[2].partition('"')[0].replace("&amp;", "&")
    rest = (await admin.get(more, headers={"hx-request": "true"})).text
    assert "<html" not in rest
    assert rows(page) + rows(rest) == names[::-1]


async def test_one_person_is_enrolled(world: World) -> None:
    admin = await browsing(world)
    ana, course = await world.user(name="Ana Lima"), await world.course(title="Altura")
    assert ana["id"] in (await admin.get(f"{LIST}/people?q=ana")).text
    form = {"user_id": ana["id"], "course_id": str(course), "expires_at": "2031-03-09"}
    made = await send(admin, f"{LIST}/new", **form)
    assert flash(made) == "Ana Lima was enrolled in Altura."
    page = (await admin.get(made.headers["location"])).text
    assert "Enrolled by" in page
    assert "Mar 9, 2031" in page
    (stored,) = (await world.http.get("/v1/enrollments")).json()["data"]
    assert stored["expires_at"] == "2031-03-10T02:59:59.000Z"  # the end of the day in São Paulo
    again = await send(admin, f"{LIST}/new", **form)
    assert (again.status_code, "already enrolled in this course" in again.text) == (422, True)
    assert made.headers["location"] in again.text


async def test_what_stops_an_enrollment_is_told(world: World) -> None:
    admin = await browsing(world)
    ana = await world.user(name="Ana Lima")
    regulated = await world.course(regulation={"kind": "traffic"})
    missing = await send(admin, f"{LIST}/new", user_id=ana["id"], course_id=str(regulated))
    assert missing.status_code == 422
    assert "Driver's license (CNH)" in missing.text
    assert f"/admin/people/{ana['id']}" in missing.text
    past = await send(
        admin, f"{LIST}/new", user_id=ana["id"], course_id=str(await world.course()), expires_at="2020-01-01"
    )
    assert (past.status_code, "Enter a date in the future." in past.text) == (422, True)
    empty = await send(admin, f"{LIST}/new")
    assert empty.text.count("Fill in this field.") == 4  # twice each: at the top, and at the field
    far = await send(
        admin, f"{LIST}/new", user_id=ana["id"], course_id=str(await world.course()), expires_at="9999-12-31"
    )
    assert far.status_code == 422
    assert await enrolled(world) == set()


async def test_all_whom_a_search_finds_are_enrolled(world: World) -> None:
    admin = await browsing(world)
    factory = await unit(world, "Fábrica")
    # No part of their addresses begins like this.
    people = [await world.user(name=f"Pessoa {each}", business_unit_id=str(factory)) for each in "vwxyz"]
    gone = await world.user(name="Foi embora", business_unit_id=str(factory))
    await world.http.post(f"/v1/users/{gone['id']}/suspend")
    await world.user(name="De fora")
    course = await world.course(title="Altura")
    await world.enrollment(user_id=people[0]["id"], course_id=course)
    page = (await admin.get(f"{LIST}/many?unit={factory}")).text
    assert "Enroll 5 people" in page
    told = await send(admin, f"{LIST}/many", course_id=str(course), unit=str(factory))
    assert told.status_code == 200
    assert "4 people were enrolled." in told.text
    assert await enrolled(world) == {(each["id"], str(course)) for each in people}
    assert "enrollment.bulk_created" in await actions_on_record(world)
    again = await send(admin, f"{LIST}/many", course_id=str(course), unit=str(factory))
    assert "Nobody was enrolled." in again.text
    # People who were enrolled in bulk have the same history.
    page = (await admin.get(f"{LIST}?q=pessoa+z")).text
    address = page.partition('class="table__link" href="')[2].partition('"')[0]
    assert "Enrolled by" in (await admin.get(address)).text


async def test_a_refused_form_keeps_its_filters(world: World) -> None:
    admin = await browsing(world)
    factory = await unit(world, "Fábrica")
    await world.user(name="Pessoa", business_unit_id=str(factory))
    draft = await world.course(publish=False)
    refused = await send(
        admin, f"{LIST}/many", course_id=str(draft), unit=str(factory), expires_at="2031-01-01"
    )
    assert refused.status_code == 422
    assert "not published" in refused.text
    assert "Enroll 1 person" in refused.text
    assert 'value="2031-01-01"' in refused.text
    nobody = await send(admin, f"{LIST}/many", course_id=str(await world.course()), q="nobody at all")
    assert nobody.status_code == 422


async def test_addresses_and_a_file_enroll_and_each_problem_is_told(world: World) -> None:
    admin = await browsing(world)
    plain = await world.course()
    regulated = await world.course(title="Trânsito", regulation={"kind": "traffic"})
    licence = {"numero": CNH, "categoria": "D", "validade": "2040-01-01", "ear": True}
    driver = await world.user(name="Davi", cpf=CPF, cnh=licence)
    ana, bia = await world.user(name="Ana Lima"), await world.user(name="Bia Sá")
    file = f"Nome;E-mail\nAna;{ana['email']}\nDavi;{driver['email'].upper()}\n".encode("latin-1")
    told = await send(
        admin,
        f"{LIST}/many/emails",
        files={"file": ("people.csv", file, "text/csv")},
        course_id=str(regulated),
        emails=f"{bia['email']}\nnobody@example.com; oops",
    )
    assert told.status_code == 200, told.text
    assert "1 person was enrolled." in told.text
    assert await enrolled(world) == {(driver["id"], str(regulated))}
    assert set(rows(told.text)) == {"Ana Lima", "Bia Sá", "nobody@example.com", "oops"}
    assert "Not a valid e-mail address" in told.text
    assert "No person found with this e-mail address" in told.text
    assert "does not have the required documents" in told.text
    without_file = {"file": ("", b"", "application/octet-stream")}
    pasted = await send(
        admin,
        f"{LIST}/many/emails",
        files=without_file,
        course_id=str(plain),
        emails=ana["email"],
        expires_at="",
    )
    assert "1 person was enrolled." in pasted.text
    empty = await send(admin, f"{LIST}/many/emails", files=without_file, course_id=str(plain), emails="")
    assert (empty.status_code, "Fill in this field." in empty.text) == (422, True)


async def test_a_manager_reaches_only_their_people(world: World) -> None:
    gestor = await browsing(world, "gestor")
    mine = await unit(world, "Minha")
    await manage(world, mine, await id_of(world, "gestor"))
    near = await world.user(name="Perto", business_unit_id=str(mine))
    far = await world.user(name="Longe")
    course = await world.course()
    theirs = await world.enrollment(user_id=far["id"], course_id=course)
    assert rows((await gestor.get(LIST)).text) == []
    assert (await gestor.get(f"{LIST}/{theirs['id']}")).status_code == 404
    assert far["id"] not in (await gestor.get(f"{LIST}/people")).text
    other = await world.course()
    refused = await send(gestor, f"{LIST}/new", user_id=far["id"], course_id=str(other))
    assert refused.status_code == 404
    told = await send(gestor, f"{LIST}/many", course_id=str(other))
    assert "1 person was enrolled." in told.text
    listed = await send(
        gestor,
        f"{LIST}/many/emails",
        files={"file": ("", b"", "")},
        course_id=str(course),
        emails=f"{near['email']} {far['email']}",
    )
    assert rows(listed.text) == [far["email"]]
    pairs = {(near["id"], str(other)), (near["id"], str(course)), (far["id"], str(course))}
    assert await enrolled(world) == pairs
    assert rows((await gestor.get(LIST)).text) == ["Perto", "Perto"]


async def test_an_instructor_sees_their_courses_and_enrolls_nobody(world: World) -> None:
    teacher = await browsing(world, "instrutor")
    taught, other = await world.course(title="Meu"), await world.course(title="Alheio")
    ana = await world.user(name="Ana Lima")
    mine = await world.enrollment(user_id=ana["id"], course_id=taught)
    not_mine = await world.enrollment(user_id=ana["id"], course_id=other)
    assert rows((await teacher.get(LIST)).text) == []
    await teach(world, taught, await id_of(world, "instrutor"))
    page = (await teacher.get(LIST)).text
    assert rows(page) == ["Ana Lima"]
    assert "Alheio" not in page
    assert rows((await teacher.get(f"{LIST}?q=ana")).text) == ["Ana Lima"]
    assert (await teacher.get(f"{LIST}/{mine['id']}")).status_code == 200
    assert (await teacher.get(f"{LIST}/{not_mine['id']}")).status_code == 404
    assert (await teacher.get(f"{LIST}/new")).status_code == 403
    assert (await send(teacher, f"{LIST}/many", course_id=str(taught))).status_code == 403


async def test_another_companys_are_not_there(world: World, stranger: World) -> None:
    admin = await browsing(stranger)
    theirs = await world.enrollment()
    assert (await admin.get(f"{LIST}/{theirs['id']}")).status_code == 404
    ana, course = await world.user(), await stranger.course()
    assert (await send(admin, f"{LIST}/new", user_id=ana["id"], course_id=str(course))).status_code == 404
    mine = await stranger.user()
    refused = await send(admin, f"{LIST}/new", user_id=mine["id"], course_id=theirs["course_id"])
    assert refused.status_code == 404
    many = await send(admin, f"{LIST}/many", course_id=theirs["course_id"])
    assert many.status_code == 404
    assert rows((await admin.get(f"{LIST}?course={theirs['course_id']}")).text) == []
