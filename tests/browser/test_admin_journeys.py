"""What a new training administrator does without the documentation, and how many clicks it takes."""

import io
import random
import re
from datetime import timedelta
from uuid import UUID

import pytest
from playwright.async_api import expect
from validate_docbr import CPF
from xlsxwriter import Workbook

from browser.flows import Entering
from browser.journeys import Journey
from browser.test_import_flows import Work, work  # noqa: F401
from conftest import World
from trilha.core.types import Timestamp
from trilha.core.web.parsing import convert
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser
from trilha.training.enrollments import actions as enrollments
from trilha.training.enrollments.schema import NewEnrollment
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths.schema import NewPath

_UNITS = ("Matriz", "Filial Recife", "Filial Curitiba", "Centro de Distribuição Guarulhos", "Loja Savassi")
_NAMES = ("Ana", "Bruno", "Carla", "Diego", "Elisa", "Fábio", "Gabriela", "Hugo", "Inês", "João")
_SURNAMES = (
    "Almeida",
    "Barbosa",
    "Cardoso",
    "Duarte",
    "Esteves",
    "Ferreira",
    "Gomes",
    "Hora",
    "Ibrahim",
    "Lima",
)
_HEADER = (
    "Matrícula",
    "Nome completo",
    "E-mail corporativo",
    "CPF",
    "Cargo",
    "Unidade",
    "Gestor",
    "Centro de custo",
)


def build_workbook(count: int) -> bytes:
    """Builds the file as an HR system exports it: numbers are numbers, so they have lost their zeros."""
    cpf = CPF()
    random.seed(7)
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        sheet = book.add_worksheet("Colaboradores")
        sheet.write_row(0, 0, _HEADER)
        for n in range(count):
            name = f"{_NAMES[n % 10]} {_SURNAMES[n // 10 % 10]} {_SURNAMES[n // 20 % 10]}"
            row = [1000 + n, name, f"pessoa.{n}@transportadora.com.br", int(cpf.generate()), "Motorista"]
            sheet.write_row(n + 1, 0, [*row, _UNITS[n % len(_UNITS)], "Marta Reis", 4000 + n % 7])
    return file.getvalue()


async def make_path(world: World) -> UUID:
    courses = [await world.course(title="Direção defensiva"), await world.course(title="Código de conduta")]
    async with world.tx() as tx:
        path = await paths.create(tx, NewPath(title="Integração de motoristas"), courses)
        await paths.publish(tx, path.id)
    return path.id


async def enroll_people(world: World, course_id: UUID, count: int) -> dict[UUID, str]:
    """Enrolls new people. Returns the due dates of their enrollments."""
    due: dict[UUID, str] = {}
    async with world.tx() as tx:
        for n in range(count):
            raw = {"email": f"motorista.{n}@example.com", "name": f"{_NAMES[n % 10]} {_SURNAMES[n // 10]}"}
            user = await users.create(tx, convert(NewUser, raw, tx.today), None, role="learner")
            ends = Timestamp.of(tx.now + timedelta(days=3 + n % 20))
            made = await enrollments.enroll(
                tx, NewEnrollment(user_id=user.id, course_id=course_id, expires_at=ends)
            )
            due[made.id] = str(made.expires_at)
    return due


async def read_due_dates(world: World) -> dict[UUID, str]:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT id, expires_at FROM enrollments WHERE tenant_id = :tenant")
    return {row["id"]: str(row["expires_at"]) for row in rows}


async def test_200_people_of_a_workbook_come_onto_a_path(
    world: World,
    entered: Entering,
    work: Work,  # noqa: F811
) -> None:
    await make_path(world)
    journey = Journey(await entered())
    page = journey.page
    await journey.begin()
    await journey.follow("Pessoas", within=".menu")
    await journey.follow("Importar pessoas")
    await journey.attach("colaboradores.xlsx", build_workbook(200))
    await journey.click(page.get_by_role("combobox", name="Trilha"))
    await journey.click(page.get_by_role("option", name="Integração de motoristas"))
    await journey.press("Enviar arquivo")
    await journey.is_titled("colaboradores.xlsx")
    await expect(page.get_by_text("Gestor · Centro de custo")).to_be_visible()
    # The company has none of the units yet. The page refreshes itself after the work.
    for button in (
        "Conferir arquivo",
        "Criar 5 unidades e conferir de novo",
        "Importar e matricular 200 pessoas",
    ):
        await expect(page.get_by_role("button", name=button)).to_be_visible(timeout=15_000)
        await journey.press(button)
        await expect(page.get_by_text("Vai começar em instantes")).to_be_visible()
        await work()
    await expect(page.get_by_role("heading", name="Matrículas em")).to_be_visible(timeout=15_000)
    await journey.follow("Ver pessoas na trilha")
    await journey.is_titled("Pessoas em Integração de motoristas")
    async with world.tx() as tx:
        assigned = await tx.value("SELECT count(*) FROM learning_path_assignments WHERE tenant_id = :tenant")
    assert assigned == 200
    journey.costs_at_most(clicks=10, fields=1, loads=10)


async def test_40_enrollments_are_extended_and_that_is_undone(world: World, entered: Entering) -> None:
    course = await world.course(title="Direção defensiva")
    before = await enroll_people(world, course, 40)
    await enroll_people_elsewhere(world)
    journey = Journey(await entered())
    page = journey.page
    await journey.begin()
    await journey.follow("Matrículas", within=".menu")
    await page.get_by_label("Qualquer curso").select_option("Direção defensiva")
    journey.clicks += 2
    await expect(page.get_by_text("40 matrículas")).to_be_visible()
    await journey.click(page.get_by_label("Selecionar todas as linhas da página"))
    await journey.click(page.get_by_label("Selecionar todas as 40"))
    await expect(page.get_by_text("40 selecionados")).to_be_visible()
    await journey.press("Prorrogar prazo")
    await journey.press("Prorrogar prazos")
    await journey.visit.is_told("40")
    extended = await read_due_dates(world)
    assert all(extended[id] != due for id, due in before.items())
    # Looking at one of them does not take the button away.
    await journey.click(page.get_by_role("rowheader").first.get_by_role("link"))
    await expect(page.get_by_role("heading", level=1)).not_to_have_text("Matrículas")
    await journey.press("Desfazer")
    await journey.visit.is_told("Linhas que voltaram ao que eram: 40.")
    assert {id: (await read_due_dates(world))[id] for id in before} == before
    journey.costs_at_most(clicks=9, loads=5)


async def enroll_people_elsewhere(world: World) -> None:
    for _ in range(3):
        await world.enrollment()


@pytest.mark.parametrize("by", ["keys", "mouse"])
async def test_a_person_a_course_and_a_page_are_found(world: World, entered: Entering, by: str) -> None:
    await world.user(name="Zuleica Prates")
    await world.course(title="Zoologia")
    journey = Journey(await entered())
    page = journey.page
    await journey.begin()
    for typed, title, place in (
        ("zule", "Zuleica Prates", "people/"),
        ("zoolo", "Zoologia", "courses/"),
        ("lembretes", "Lembretes", "settings/reminders"),
    ):
        if by == "keys":
            await journey.key("Control+k")
        else:
            await journey.click(page.locator(".finder__input"))
        await expect(page.locator(".palette__input")).to_be_focused()
        await journey.type(typed)
        option = page.get_by_role("option", name=re.compile(title)).first
        await expect(option).to_be_visible()
        if by == "keys":
            await journey.key("Enter")
        else:
            await journey.click(option)
        await expect(page).to_have_url(re.compile(f"/admin/{place}"))
    if by == "keys":
        journey.costs_at_most(fields=3, keys=6, loads=3)
    else:
        journey.costs_at_most(clicks=6, fields=3, loads=3)
