"""/admin/search"""

import html
import re

import httpx2
import pytest

from conftest import CPF, World
from trilha.core.types import Name
from trilha.kit.translations import translations
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.people.users.schema import Role
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths.schema import NewPath
from trilha.web.panel.search.places import ACTIONS, INNER
from web.panel.signing_in import signed_in, user_id

PANEL_ROLES: tuple[Role, ...] = ("admin", "gestor", "instrutor")


async def palette(client: httpx2.AsyncClient, typed: str) -> list[str]:
    """Returns the addresses of the palette's options."""
    answer = await client.post("/admin/search", data={"q": typed}, headers={"hx-request": "true"})
    assert answer.status_code == 200, answer.text
    assert "<html" not in answer.text
    return [html.unescape(each) for each in re.findall(r'role="option"[^>]*href="([^"]+)"', answer.text)]


async def test_people_courses_paths_groups_and_pages_are_found(world: World) -> None:
    admin = await signed_in(world)
    ana = await world.user(name="Zuleica Prates", email="zu@example.com", employee_number="M-77")
    course = await world.course(title="Zoologia básica")
    async with world.tx() as tx:
        path = await paths.create(tx, NewPath(title="Zootecnia"), [course])
        group = await groups.create(tx, NewLearningGroup(name=Name("Zona norte")))
    page = (await admin.get("/admin/search?q=zuleica")).text
    assert f"/admin/people/{ana['id']}" in page
    assert await palette(admin, "m-77") == [f"/admin/people/{ana['id']}"]
    assert await palette(admin, "zu@exam") == [f"/admin/people/{ana['id']}"]
    assert f"/admin/courses/{course}" in await palette(admin, "zoologia")
    assert f"/admin/paths/{path.id}" in await palette(admin, "zootecnia")
    assert f"/admin/groups/{group.id}" in await palette(admin, "zona")
    assert (await palette(admin, "reports"))[0] == "/admin/reports"
    assert "/admin/courses/new" in await palette(admin, "create cour")
    assert "/admin/settings/retention" in await palette(admin, "priva")
    assert "/admin/help/administrators/import-people" in await palette(admin, "import spread")
    assert await palette(admin, "xyzxyz") == []
    assert "Nothing found" in (await admin.get("/admin/search?q=xyzxyz")).text


# What administrators type, and the page or action among the results. None of it is in the names of the pages.
TYPED = {
    "pt-BR": {
        "funcionários": "/admin/people",
        "importar colaboradores": "/admin/people/import/new",
        "matricular em massa": "/admin/enrollments/many",
        "prorrogar prazo": "/admin/enrollments",
        "treinamentos vencidos": "/admin/requirements",
        "e-mail": "/admin/outbox",
        "exportar": "/admin/reports",
        "gestores": "/admin/units",
        "microsoft": "/admin/sso",
        "banco de questões": "/admin/questions",
        "pesquisa de satisfação": "/admin/settings/evaluations",
        "convites": "/admin/outbox/invitations",
    },
    "en": {
        "employees": "/admin/people",
        "extend due dates": "/admin/enrollments",
        "e-mail": "/admin/outbox",
        "export": "/admin/reports",
        "managers": "/admin/units",
        "the history": "/admin/audit",
    },
}


@pytest.mark.parametrize("locale", TYPED)
async def test_pages_are_found_by_the_words_of_administrators(world: World, locale: str) -> None:
    admin = await signed_in(world, locale=locale)
    for typed, address in TYPED[locale].items():
        assert address in await palette(admin, typed), typed


async def test_a_cpf_is_found_but_never_in_an_address(world: World) -> None:
    admin = await signed_in(world)
    ana = await world.user(name="Ana Lima", cpf=CPF)
    assert await palette(admin, CPF) == [f"/admin/people/{ana['id']}"]
    page = (await admin.get("/admin/search", params={"q": CPF})).text
    assert "does not belong in the address" in page
    assert ana["id"] not in page
    posted = await admin.post("/admin/search", data={"q": CPF})
    assert ana["id"] in posted.text
    assert f"?q={CPF}" not in posted.text
    led = await admin.post("/admin/search", data={"q": "ana lima"})
    assert (led.status_code, led.headers["location"]) == (303, "/admin/search?q=ana+lima")


async def test_roles_find_what_they_reach(world: World, stranger: World) -> None:
    manager, teacher = await signed_in(world, "gestor"), await signed_in(world, "instrutor")
    async with world.tx() as tx:
        unit = await units.create(tx, NewBusinessUnit(name=Name("Frota")))
        await units.set_managers(tx, unit.id, [user_id(manager)])
    own = await world.user(name="Zuleica Prates", business_unit_id=str(unit.id))
    await world.user(name="Zuleica Alves")
    await world.course(title="Zoologia")
    taught = await world.course(title="Zoologia marinha")
    async with world.tx() as tx:
        await tx.execute(
            "INSERT INTO course_teachers (tenant_id, course_id, user_id) VALUES (:tenant, :course, :user)",
            course=taught,
            user=user_id(teacher),
        )
    assert await palette(manager, "zuleica") == [f"/admin/people/{own['id']}"]
    assert await palette(teacher, "zuleica") == []
    assert await palette(teacher, "zoologia") == [f"/admin/courses/{taught}"]
    assert len(await palette(manager, "zoologia")) == 2
    assert "/admin/people/new" not in await palette(manager, "add person")
    assert await palette(manager, "webhooks") == []
    elsewhere = await signed_in(stranger)
    assert await palette(elsewhere, "zuleica") == []
    assert await palette(elsewhere, "zoologia") == []
    learner = await signed_in(world, "learner")
    assert (await learner.get("/admin/search")).status_code == 403


@pytest.mark.parametrize("role", PANEL_ROLES)
async def test_every_place_opens(world: World, role: Role) -> None:
    client = await signed_in(world, role)
    everything = set(await palette(client, ""))
    for each in [*ACTIONS, *(place for _, place in INNER)]:
        found = await palette(client, each.label)
        everything |= set(found)
    assert len(everything) > 8
    for address in everything:
        assert (await client.get(address)).status_code in (200, 303), address


async def test_places_have_further_words_in_both_languages(world: World) -> None:
    admin = await signed_in(world, locale="pt-BR")
    assert "/admin/people/import/new" in await palette(admin, "planilha")
    assert all(translations("pt-BR").gettext(each.words) != each.words for each in ACTIONS if each.words)


async def test_a_long_or_broken_text_is_refused(world: World) -> None:
    admin = await signed_in(world)
    assert (await admin.get("/admin/search", params={"q": "x" * 201})).status_code == 400
    assert (await admin.get("/admin/search", params={"q": "a\x00b"})).status_code == 400
    assert (await admin.get("/admin/search?cpf=1")).status_code == 400
