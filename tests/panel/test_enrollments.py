"""/admin/enrollments"""

import csv
import io
import re
from datetime import timedelta
from uuid import UUID

import httpx2
import pytest

from conftest import CNH, CPF, World
from panel.training import actions_on_record, browsing, flash, id_of, manage, rows, send, teach, unit
from trilha.core.clock import civil_date
from trilha.core.types import Name, Timestamp
from trilha.enrollments import actions
from trilha.learning_groups import actions as groups
from trilha.learning_groups.schema import NewLearningGroup
from trilha.panel.enrollments import many

LIST = "/admin/enrollments"


async def enrolled(world: World) -> set[tuple[str, str]]:
    """Pairs of person and course."""
    listed = (await world.http.get("/v1/enrollments?limit=100")).json()["data"]
    return {(each["user_id"], each["course_id"]) for each in listed}


async def test_the_list_is_filtered_searched_and_sorted(world: World) -> None:
    admin = await browsing(world)
    assert "Nobody is enrolled yet" in (await admin.get(LIST)).text
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
    assert f'href="{LIST}?course={one}"' in page  # the chip that takes away what was typed


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
    assert (again.status_code, "takes this course already" in again.text) == (422, True)
    assert made.headers["location"] in again.text


async def test_what_stops_an_enrollment_is_told(world: World) -> None:
    admin = await browsing(world)
    ana = await world.user(name="Ana Lima")
    regulated = await world.course(regulation={"kind": "traffic"})
    missing = await send(admin, f"{LIST}/new", user_id=ana["id"], course_id=str(regulated))
    assert missing.status_code == 422
    assert "Driving licence (CNH)" in missing.text
    assert f"/admin/people/{ana['id']}" in missing.text
    past = await send(
        admin, f"{LIST}/new", user_id=ana["id"], course_id=str(await world.course()), expires_at="2020-01-01"
    )
    assert (past.status_code, "Enter a date in the future." in past.text) == (422, True)
    empty = await send(admin, f"{LIST}/new")
    assert empty.text.count("Fill in this field.") == 4  # twice each: above, and at the field
    far = await send(
        admin, f"{LIST}/new", user_id=ana["id"], course_id=str(await world.course()), expires_at="9999-12-31"
    )
    assert far.status_code == 422
    assert await enrolled(world) == set()


async def test_all_whom_a_search_finds_are_enrolled(world: World) -> None:
    admin = await browsing(world)
    factory = await unit(world, "Fábrica")
    people = [await world.user(name=f"Pessoa {n}", business_unit_id=str(factory)) for n in range(5)]
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
    # Who was enrolled with others has the same history.
    page = (await admin.get(f"{LIST}?q=pessoa+4")).text
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
    assert "This is no e-mail address" in told.text
    assert "Nobody you reach has this address" in told.text
    assert "lacks documents" in told.text
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


async def test_what_needs_somebody_is_found(world: World) -> None:
    """Under way, ending soon, late, and completed this month: as the overview counts them."""
    admin = await browsing(world)
    course = await world.course(title="Altura")
    places = {}
    for name, days in (("Ana", 3), ("Bia", 13), ("Caio", 15), ("Davi", None), ("Eva", 1), ("Gil", None)):
        ends = None if days is None else Timestamp.of(world.clock.now + timedelta(days=days))
        user = await world.user(name=name)
        body = {"user_id": user["id"], "course_id": course} | ({"expires_at": ends} if ends else {})
        places[name] = (await world.enrollment(**body))["id"]
        world.clock.move(seconds=1)

    async def found(status: str) -> list[str]:
        return rows((await admin.get(LIST, params={"status": status})).text)

    async with world.tx() as tx:
        for name in ("Davi", "Gil"):
            await actions.start(tx, UUID(places[name]))
            await actions.complete(tx, UUID(places[name]))
        await tx.execute(
            """
            UPDATE enrollments SET completed_at = completed_at - interval '40 days'
            WHERE tenant_id = :tenant AND id = :id
            """,
            id=UUID(places["Gil"]),
        )
    world.clock.move(days=1)
    admin = await browsing(world)
    assert await found("open") == ["Caio", "Bia", "Ana"]
    assert await found("ending") == ["Ana", "Bia", "Caio"]  # soonest first
    assert await found("expired") == ["Eva"]
    assert set(await found("completed")) == {"Davi", "Gil"}
    this_month = civil_date(world.clock.now).day > 1
    assert await found("completed_this_month") == (["Davi"] if this_month else [])


async def test_the_list_as_a_file(world: World) -> None:
    manager, teacher = await browsing(world, "gestor"), await browsing(world, "instrutor")
    factory = await unit(world, "Fábrica")
    await manage(world, factory, await id_of(world, "gestor"))
    own = await world.user(name="=Ana", email="ana@example.com", business_unit_id=str(factory))
    taught = await world.course(title="Fogo")
    await teach(world, taught, await id_of(world, "instrutor"))
    await world.enrollment(user_id=own["id"], course_id=await world.course(title="Altura"))
    other = await world.user(name="Bia")
    await world.enrollment(user_id=other["id"], course_id=taught)

    async def lines(client: httpx2.AsyncClient, **params: str) -> list[list[str]]:
        answer = await client.get(f"{LIST}.csv", params=params)
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert ".csv" in answer.headers["content-disposition"]
        return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))

    head, only = await lines(manager)
    assert head[:4] == ["Person", "E-mail", "Course", "Status"]
    assert only[:6] == ["'=Ana", "ana@example.com", "Altura", "Not started", "0%", ""]
    assert [each[0] for each in (await lines(teacher))[1:]] == ["Bia"]
    admin = await browsing(world)
    assert [each[0] for each in (await lines(admin, q="bia"))[1:]] == ["Bia"]
    assert (await (await browsing(world, "learner")).get(f"{LIST}.csv")).status_code == 403


async def test_more_people_than_are_enrolled_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "MOST", 2)
    admin = await browsing(world)
    for name in ("Ana", "Bia", "Caio"):
        await world.user(name=name)
    course = await world.course(title="Altura")
    page = (await admin.get(f"{LIST}/many?role=learner")).text
    assert "Enroll the first 2 people" in page
    first = await send(admin, f"{LIST}/many", course_id=str(course), role="learner")
    assert "There are more people" in first.text
    assert len(await enrolled(world)) == 2
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', first.text))
    del fields["csrf_token"]
    last = await send(admin, f"{LIST}/many", **fields)
    assert "There are more people" not in last.text
    assert len(await enrolled(world)) == 3
