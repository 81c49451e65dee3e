"""Filters and forms of a company with more courses, units and groups than a page lists."""

import re
from uuid import UUID, uuid4

import pytest

from conftest import World
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths.schema import NewPath
from trilha.web.panel import choices
from web.panel.training_pages import browsing, flash, id_of, manage, send, teach, unit


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "MAX_OPTIONS", 2)


async def _courses(world: World, *titles: str) -> list[UUID]:
    return [await world.course(title=title) for title in titles]


def _offered(page: str, name: str = "") -> list[str]:
    """Returns the texts of the options of a field with this name, or of all options."""
    if name:
        found = re.search(rf'<select[^>]* name="{name}".*?</select>', page, re.DOTALL)
        assert found, page
        page = found[0]
    return re.findall(r'<option value="[^"]+"[^>]*>([^<]*)</option>', page)


def _chosen(page: str) -> list[str]:
    return re.findall(r"<option[^>]* selected>([^<]*)</option>", page)


async def test_a_page_offers_the_first_and_the_others_are_found_by_typing(world: World) -> None:
    *_, third = await _courses(world, "Altura", "Brigada", "Cargas")
    admin = await browsing(world)
    await world.enrollment(course_id=str(third))
    page = (await admin.get("/admin/enrollments")).text
    assert _offered(page, "course") == ["Altura", "Brigada"]
    assert 'data-source="/admin/choices/courses"' in page
    assert _offered((await admin.get("/admin/choices/courses?q=CARG")).text) == ["Cargas"]
    assert _offered((await admin.get("/admin/choices/courses?q=nada")).text) == []
    assert _offered((await admin.get("/admin/choices/courses")).text) == ["Altura", "Brigada"]


async def test_as_many_as_a_page_offers_are_a_plain_select(world: World) -> None:
    await _courses(world, "Altura", "Brigada")
    admin = await browsing(world)
    page = (await admin.get("/admin/reports")).text
    assert _offered(page, "course") == ["Altura", "Brigada"]
    assert "data-source" not in page


@pytest.mark.parametrize("path", ["enrollments", "certificates", "answers", "reports", "reports/questions"])
async def test_what_is_chosen_is_offered_and_told_wherever_it_is(world: World, path: str) -> None:
    *_, third = await _courses(world, "Altura", "Brigada", "Cargas & co")
    admin = await browsing(world)
    page = (await admin.get(f"/admin/{path}?course={third}")).text
    assert _offered(page, "course") == ["Altura", "Brigada", "Cargas &amp; co"]
    assert _chosen(page)[0] == "Cargas &amp; co"


async def test_a_report_of_what_is_not_there_is_not_found(world: World) -> None:
    await _courses(world, "Altura", "Brigada", "Cargas")
    admin = await browsing(world)
    assert (await admin.get(f"/admin/reports?course={uuid4()}")).status_code == 404
    assert (await admin.get("/admin/choices/courses?q=a%00b")).status_code == 400


async def test_an_instructor_is_offered_what_they_teach(world: World) -> None:
    ids = await _courses(world, "Altura", "Brigada", "Cargas", "Direção")
    instructor = await browsing(world, "instrutor")
    teacher = await id_of(world, "instrutor")
    for each in ids[1:]:
        await teach(world, each, teacher)
    assert _offered((await instructor.get("/admin/choices/courses?q=a")).text) == ["Brigada", "Cargas"]
    assert _offered((await instructor.get("/admin/choices/courses?q=altura")).text) == []
    assert (await instructor.get(f"/admin/reports?course={ids[3]}")).status_code == 200
    assert (await instructor.get(f"/admin/reports?course={ids[0]}")).status_code == 404
    for name in ("units", "groups", "paths"):
        assert (await instructor.get(f"/admin/choices/{name}")).status_code == 403


async def test_published_paths_are_found_by_typing(world: World) -> None:
    (course,) = await _courses(world, "Altura")
    async with world.tx() as tx:
        for title in ("Brigada", "Cargas", "Cozinha"):
            path = await paths.create(tx, NewPath(title=title), [course])
            await paths.publish(tx, path.id)
        await paths.create(tx, NewPath(title="Casa"), [course])
    admin = await browsing(world)
    page = (await admin.get("/admin/people/import/new")).text
    assert 'data-source="/admin/choices/paths"' in page
    assert _offered((await admin.get("/admin/choices/paths?q=coz")).text) == ["Cozinha"]
    assert _offered((await admin.get("/admin/choices/paths?q=casa")).text) == []


async def test_people_are_enrolled_in_published_courses(world: World) -> None:
    await _courses(world, "Altura", "Brigada", "Cargas")
    await world.course(title="Rascunho", publish=False)
    admin = await browsing(world)
    assert (
        'data-source="/admin/choices/courses?published=true"'
        in (await admin.get("/admin/enrollments/new")).text
    )
    found = (await admin.get("/admin/choices/courses?published=true&q=rasc")).text
    assert _offered(found) == []
    assert _offered((await admin.get("/admin/choices/courses?q=rasc")).text) == ["Rascunho"]


async def test_a_refused_form_keeps_what_was_chosen(world: World) -> None:
    *_, third = await _courses(world, "Altura", "Brigada", "Cargas")
    admin = await browsing(world)
    for path, field in (("new", "user_id"), ("many", "q")):
        fields = {"course_id": str(third), field: "nobody"}
        refused = await send(admin, f"/admin/enrollments/{path}", **fields)
        assert refused.status_code == 422
        assert "Cargas" in _chosen(refused.text), path
    refused = await send(admin, "/admin/enrollments/new", course_id="not an id", user_id="")
    assert (refused.status_code, _chosen(refused.text)) == (422, [])


async def test_a_manager_is_offered_their_units_by_name_code_and_place(world: World) -> None:
    top = await unit(world, "Matriz", code="SP-01")
    for name in ("Almoxarifado", "Balança", "Caldeira"):
        await unit(world, name, top, code=f"X-{name}")
    await unit(world, "Outra")
    gestor = await browsing(world, "gestor")
    await manage(world, top, await id_of(world, "gestor"))
    await world.user(business_unit_id=str(top))
    page = (await gestor.get("/admin/enrollments/many")).text
    assert _offered(page, "unit") == ["Matriz", "Matriz › Almoxarifado"]
    for typed, found in (
        ("caldeira", ["Matriz › Caldeira"]),
        ("x-balança", ["Matriz › Balança"]),
        ("matriz  cald", ["Matriz › Caldeira"]),
        ("Matriz › Caldeira", ["Matriz › Caldeira"]),
        ("outra", []),
    ):
        answer = await gestor.get("/admin/choices/units", params={"q": typed})
        assert _offered(answer.text) == found, typed


async def test_groups_are_found_by_a_part_of_their_name(world: World) -> None:
    async with world.tx() as tx:
        made = [await groups.create(tx, NewLearningGroup(name=f"Turma {each}")) for each in "ABC"]  # type: ignore[arg-type]
    admin = await browsing(world)
    page = (await admin.get(f"/admin/people?group={made[2].id}")).text
    assert _offered(page, "group") == ["Turma A", "Turma B", "Turma C"]
    assert _offered((await admin.get("/admin/choices/groups?q=ma c")).text) == ["Turma C"]


async def test_the_mail_of_a_report_is_told_by_name(world: World) -> None:
    *_, third = await _courses(world, "Altura", "Brigada", "Cargas")
    admin = await browsing(world)
    await send(admin, "/admin/reports/mail", every="week", course=str(third))
    assert "Cargas" in (await admin.get("/admin/reports")).text


async def test_the_form_of_a_person_keeps_their_unit(world: World) -> None:
    for name in ("Almoxarifado", "Balança"):
        await unit(world, name)
    last = await unit(world, "Caldeira")
    person = await world.user(business_unit_id=str(last))
    admin = await browsing(world)
    assert _chosen((await admin.get(f"/admin/people/{person['id']}/edit")).text)[0] == "Caldeira"


async def test_a_refused_file_keeps_what_was_chosen(world: World) -> None:
    *_, course = await _courses(world, "Altura", "Brigada", "Cargas")
    *_, unit_id = [await unit(world, name) for name in ("Almoxarifado", "Balança", "Caldeira")]
    admin = await browsing(world)
    refused = await send(admin, "/admin/reports/files", type="nothing", course=str(course), unit=str(unit_id))
    assert refused.status_code == 422
    assert {"Cargas", "Caldeira"} <= set(_chosen(refused.text))


async def test_a_path_is_assigned_to_a_unit_that_was_typed(world: World) -> None:
    admin = await browsing(world)
    created = await send(admin, "/admin/paths/new", title="Integração")
    path = created.headers["location"]
    *_, last = [await unit(world, name) for name in ("Almoxarifado", "Balança", "Caldeira")]
    course = await world.course(title="Altura")
    await send(admin, f"{path}/courses", course_id=str(course))
    again = await send(admin, f"{path}/courses", course_id=str(course))
    assert flash(again) == "The course is already on the path."
    await send(admin, f"{path}/publish")
    assert (await send(admin, f"{path}/assign-to", unit_id=str(last))).status_code == 303
    assert "Caldeira" in (await admin.get(path)).text
    refused = await send(admin, f"{path}/assign-to", unit_id=str(last), group_id="no id")
    assert (refused.status_code, "Caldeira" in _chosen(refused.text)) == (422, True)


async def test_a_unit_out_of_reach_is_not_told_by_name(world: World) -> None:
    top = await unit(world, "Matriz")
    below = await unit(world, "Fábrica", top)
    gestor = await browsing(world, "gestor")
    await manage(world, below, await id_of(world, "gestor"))
    page = (await gestor.get(f"/admin/people?unit={top}")).text
    assert "Another one" in page
    assert str(top) not in re.sub(r'"[^"]*"', "", page)
