"""Enrolling in a browser: one person, many by filter, group, unit, list or file, and the results."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

from playwright.async_api import expect

from browser.flows import Entering, Visit
from browser.ways import played
from conftest import World
from trilha.core.types import Timestamp
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments import jobs
from web.panel.training_pages import manage, teach, unit


async def course_of(visit: Visit, title: str, *, scripts: bool) -> None:
    if scripts:
        await visit.page.get_by_role("combobox", name="Curso").press_sequentially(title)
        await visit.page.get_by_role("option", name=title).click()
    else:
        await visit.page.get_by_label("Curso").select_option(title)


async def enrolled(world: World) -> set[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT person.name FROM enrollments AS place
            JOIN users AS person ON person.tenant_id = place.tenant_id AND person.id = place.user_id
            WHERE place.tenant_id = :tenant
            """
        )
    return {row["name"] for row in rows}


@played("phone-no-scripts")
async def test_one_person_with_a_last_day(world: World, entered: Entering, options: dict[str, Any]) -> None:
    user = await world.user(name="Ana Lima")
    await world.course(title="Altura")
    visit = await entered(**options)
    await visit.go(f"/admin/people/{user['id']}")
    await visit.follow("Matricular pessoa")
    await visit.fill(expires_at="2020-01-01")
    await course_of(visit, "Altura", scripts=not options)
    await visit.press("Matricular pessoa")
    await visit.is_refused("Informe uma data futura.")
    day = (world.clock.now + timedelta(days=40)).date()
    await visit.fill(expires_at=day.isoformat())
    await visit.press("Matricular pessoa")
    await visit.is_told("Matrícula feita: Ana Lima em Altura.")
    await visit.is_titled("Ana Lima")
    await expect(visit.page.get_by_text(f"{day:%d/%m/%Y}").first).to_be_visible()
    history = visit.page.get_by_role("listitem")
    await expect(history.filter(has_text="Matrícula feita por Marina Duarte")).to_have_count(1)
    await visit.go(f"/admin/enrollments/new?user={user['id']}")
    await course_of(visit, "Altura", scripts=not options)
    await visit.press("Matricular pessoa")
    await visit.is_refused("Esta pessoa já está matriculada neste curso.")
    await visit.follow("Ver a matrícula existente")
    await visit.is_titled("Ana Lima")


async def test_what_happened_to_an_enrollment(world: World, entered: Entering) -> None:
    user = await world.user(name="Ana Lima")
    ends = Timestamp.of(world.clock.now + timedelta(days=2))
    place = await world.enrollment(user_id=user["id"], expires_at=ends)
    async with world.tx() as tx:
        await enrollments.start(tx, UUID(place["id"]))
    world.clock.move(days=3)
    await jobs.EXPIRE.run_in(world.database, world.tenant.id)
    visit = await entered(locale="en")
    await visit.go("/admin/enrollments")
    await visit.page.get_by_label("Any status").select_option("Expired")
    await expect(visit.page).to_have_url(re.compile("status=expired"))
    await visit.lists("Ana Lima")
    await visit.follow("Ana Lima")
    told = visit.page.get_by_role("listitem")
    for words in ("Enrolled by the API key", "Started", "Expired"):
        await expect(told.filter(has_text=words).first).to_be_visible()
    await visit.follow("Enroll again")
    await visit.press("Enroll person")
    await visit.is_told("Ana Lima was enrolled in")
    await expect(visit.page.get_by_role("heading", name="Other enrollments in this course")).to_be_visible()


@played("scripts")
async def test_many_by_unit_and_by_group(world: World, entered: Entering, options: dict[str, Any]) -> None:
    frota = await unit(world, "Frota")
    await world.user(name="Ana Lima", business_unit_id=str(frota))
    bia = await world.user(name="Bia Sá")
    async with world.tx() as tx:
        group = await groups.create(tx, NewLearningGroup(name="Brigada"))  # type: ignore[arg-type]
        await groups.add_members(tx, group.id, [UUID(bia["id"])])
    await world.course(title="Altura")
    visit = await entered(**options)
    await visit.go("/admin/units")
    await visit.follow("Frota")
    await visit.follow("Matricular pessoas")
    await course_of(visit, "Altura", scripts=not options)
    await visit.press("Matricular 1 pessoa")
    await expect(visit.page.get_by_text("1 pessoa foi matriculada.")).to_be_visible()
    assert await enrolled(world) == {"Ana Lima"}
    world.clock.move(seconds=1)
    await visit.go("/admin/groups")
    await visit.follow("Brigada")
    await visit.follow("Matricular membros")
    await course_of(visit, "Altura", scripts=not options)
    await visit.press("Matricular 1 pessoa")
    await visit.follow("Ver matrículas do curso")
    await visit.lists("Bia Sá", "Ana Lima")


@played("phone-no-scripts")
async def test_many_by_a_list_and_a_file(world: World, entered: Entering, options: dict[str, Any]) -> None:
    for name in ("ana", "bia"):
        await world.user(name=name.title(), email=f"{name}@example.com")
    gone = await world.user(name="Caio", email="caio@example.com")
    await world.http.post(f"/v1/users/{gone['id']}/suspend")
    await world.course(title="Altura")
    visit = await entered(**options)
    page = visit.page
    await visit.go("/admin/enrollments/many/emails")
    await course_of(visit, "Altura", scripts=not options)
    await visit.press("Matricular pessoas")
    await visit.is_refused("E-mails")
    await visit.fill(emails="Ana <ana@example.com>; ninguem@example.com, torto")
    raw = "Nome;E-mail\nBia;BIA@example.com\nCaio;caio@example.com\n".encode("cp1252")
    file = {"name": "turma.csv", "mimeType": "text/csv", "buffer": raw}
    await page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    await visit.press("Matricular pessoas")
    await expect(page.get_by_text("2 pessoas foram matriculadas.")).to_be_visible()
    await visit.lists("torto", "ninguem@example.com", "Caio")
    for reason in ("E-mail inválido", "Nenhuma pessoa encontrada com este e-mail", "Suspensa ou inativa"):
        await expect(page.get_by_role("cell", name=reason)).to_be_visible()
    assert await enrolled(world) == {"Ana", "Bia"}


async def test_who_is_late_goes_into_a_file(world: World, entered: Entering) -> None:
    course = await world.course(title="Altura")
    for name, days in (("=Ana", 2), ("Bia", 30)):
        user = await world.user(name=name, email=f"{name.strip('=').lower()}@example.com")
        ends = Timestamp.of(world.clock.now + timedelta(days=days))
        await world.enrollment(user_id=user["id"], course_id=course, expires_at=ends)
    world.clock.move(days=3)
    visit = await entered()
    await visit.go("/admin/enrollments?status=expired")
    head, line = await visit.download("Baixar em CSV")
    assert head.startswith("Pessoa;E-mail;Número de registro;Unidade;Gestor;Curso;Situação;Progresso;Nota;")
    assert line.startswith("'=Ana;ana@example.com;;;;Altura;Vencida;0%;;")


async def test_a_manager_enrolls_their_own_alone(world: World, entered: Entering) -> None:
    visit = await entered("gestor", name="Gina Alves")
    async with world.tx() as tx:
        gina: UUID = await tx.value("SELECT id FROM users WHERE tenant_id = :tenant AND name = 'Gina Alves'")
    frota = await unit(world, "Frota")
    await manage(world, frota, gina)
    await world.user(name="Ana Lima", business_unit_id=str(frota))
    await world.user(name="Ana Fora", email="fora@example.com")
    await world.course(title="Altura")
    await visit.go("/admin/people")
    await visit.lists("Ana Lima")
    await visit.follow("Ana Lima")
    await expect(visit.page.get_by_role("link", name="Editar cadastro")).to_have_count(0)
    await visit.follow("Matricular pessoa")
    await course_of(visit, "Altura", scripts=True)
    await visit.press("Matricular pessoa")
    await visit.is_told("Matrícula feita: Ana Lima em Altura.")
    await visit.go("/admin/enrollments/many/emails")
    await course_of(visit, "Altura", scripts=True)
    await visit.fill(emails="fora@example.com")
    await visit.press("Matricular pessoas")
    await expect(visit.page.get_by_text("Ninguém foi matriculado.")).to_be_visible()
    assert await enrolled(world) == {"Ana Lima"}


async def test_an_instructor_sees_how_their_learners_are(world: World, entered: Entering) -> None:
    visit = await entered("instrutor", "phone", locale="en", name="Ivo Reis")
    async with world.tx() as tx:
        ivo: UUID = await tx.value("SELECT id FROM users WHERE tenant_id = :tenant AND name = 'Ivo Reis'")
    course = await world.course(title="Altura")
    await world.course(title="Fogo")
    await teach(world, course, ivo)
    user = await world.user(name="Ana Lima")
    await world.enrollment(user_id=user["id"], course_id=course)
    await world.enrollment()
    await visit.go("/admin/courses")
    await visit.lists("Altura")
    await visit.follow("Altura")
    await visit.page.locator("a[href$='status=not_started']").click()
    await visit.lists("Ana Lima")
    await expect(visit.page.get_by_role("link", name=re.compile("^Enroll (person|many)"))).to_have_count(0)
