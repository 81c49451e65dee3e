"""Enrolling in a browser where scripts matter: searchable choices, and filters beside a form."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from playwright.async_api import Page, Route, expect

from browser.flows import Entering
from conftest import World
from trilha.web.panel import choices
from web.panel.training_pages import unit


@pytest.fixture
async def page(entered: Entering) -> Page:
    """Opens a page for a signed-in administrator."""
    return (await entered()).page


async def test_a_person_is_found_by_typing_and_enrolled(page: Page, world: World) -> None:
    await world.user(name="Ana Lima")
    await world.user(name="Bia Sá")
    await world.course(title="Trabalho em altura")
    await page.goto("/admin/enrollments/new")
    await page.get_by_role("combobox", name="Pessoa").press_sequentially("bia")
    await page.get_by_role("option", name="Bia Sá").click()
    await page.get_by_role("combobox", name="Curso").press_sequentially("ALTU")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Matricular pessoa").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Bia Sá")
    assert [each["name"] for each in await _enrolled(world)] == ["Bia Sá"]


async def test_filters_change_whom_the_form_beside_them_enrolls(page: Page, world: World) -> None:
    factory: UUID = await unit(world, "Fábrica")
    await world.user(name="Ana Lima", business_unit_id=str(factory))
    await world.user(name="Bia Sá")
    await world.course(title="Trabalho em altura")
    await page.goto("/admin/enrollments/many")
    await page.get_by_role("combobox", name="Curso").click()
    await page.get_by_role("option", name="Trabalho em altura").click()
    await expect(page.get_by_role("button", name="Matricular 3 pessoas")).to_be_visible()
    await page.get_by_label("Qualquer unidade").select_option("Fábrica")
    await page.get_by_role("button", name="Matricular 1 pessoa", exact=True).click()
    await expect(page.get_by_text("1 pessoa foi matriculada.")).to_be_visible()
    assert [each["name"] for each in await _enrolled(world)] == ["Ana Lima"]


async def test_a_unit_is_deleted_by_a_dialog(page: Page, world: World) -> None:
    await unit(world, "Vazia")
    await page.goto("/admin/units")
    await page.get_by_role("button", name="Ações para Vazia").click()
    await page.get_by_role("link", name="Excluir").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("link", name="Cancelar")).to_be_focused()
    await dialog.get_by_role("button", name="Excluir unidade").click()
    await expect(page.get_by_text("A unidade Vazia foi excluída.")).to_be_visible()


async def _enrolled(world: World) -> Any:
    async with world.tx() as tx:
        return await tx.rows(
            """
            SELECT person.name FROM enrollments AS place
            JOIN users AS person ON person.tenant_id = place.tenant_id AND person.id = place.user_id
            WHERE place.tenant_id = :tenant
            """
        )


async def test_a_list_is_filtered_by_a_course_that_is_typed(
    page: Page, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "MAX_OPTIONS", 2)
    for title in ("Altura", "Brigada", "Cargas perigosas", "Direção defensiva"):
        course = await world.course(title=title)
        person = await world.user(name=f"Ana de {title}")
        await world.enrollment(user_id=person["id"], course_id=str(course))
    await page.goto("/admin/enrollments")
    field = page.get_by_role("combobox", name="Qualquer curso")
    await field.press_sequentially("perig")
    await page.get_by_role("option", name="Cargas perigosas").wait_for()
    await page.keyboard.press("Enter")  # marks it
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("row").filter(has_text="Ana de")).to_have_count(1)
    await expect(page.get_by_role("link", name="Cargas perigosas Remover este filtro")).to_be_visible()
    assert "course=" in page.url
    await field.fill("")
    await field.blur()
    await expect(page.get_by_role("row").filter(has_text="Ana de")).to_have_count(4)
    assert "course=" not in page.url


async def test_what_is_typed_is_what_is_filtered_by(
    page: Page, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "MAX_OPTIONS", 2)
    titles = ("Altura", "Brigada", "Cargas perigosas")
    ids = {title: await world.course(title=title) for title in titles}
    await world.enrollment(course_id=str(ids["Altura"]))
    await page.goto(f"/admin/enrollments?course={ids['Altura']}")
    field = page.get_by_role("combobox", name="Qualquer curso")
    options = page.get_by_role("listbox", name="Qualquer curso").get_by_role("option")
    await expect(field).to_have_value("Altura")
    await field.click()  # the chosen value is not used as a search
    await expect(options).to_have_text(["Altura", "Brigada"])
    await page.keyboard.press("Escape")
    await field.fill("nada")
    await expect(options).to_have_text(["Nenhum resultado"])
    await page.keyboard.press("Enter")
    await expect(field).to_have_value("nada")
    assert str(ids["Altura"]) in page.url
    await field.fill("")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("link", name="Altura Remover este filtro")).to_have_count(0)
    assert "course=" not in page.url


async def test_a_late_answer_opens_no_list(page: Page, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "MAX_OPTIONS", 1)
    for title in ("Altura", "Brigada"):
        await world.enrollment(course_id=str(await world.course(title=title)))
    asked, may_answer = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        asked.set()
        await may_answer.wait()
        await route.continue_()

    await page.route("**/admin/choices/**", late)
    await page.goto("/admin/enrollments")
    field = page.get_by_role("combobox", name="Qualquer curso")
    await field.click()
    await asked.wait()
    await page.get_by_role("heading", level=1).click()
    async with page.expect_response("**/admin/choices/**"):
        may_answer.set()
    await page.evaluate("new Promise(requestAnimationFrame)")
    await expect(field).to_have_attribute("aria-expanded", "false")
    await expect(page.get_by_role("listbox")).to_have_count(0)
