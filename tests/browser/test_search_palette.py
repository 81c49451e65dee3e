"""The menu of the panel fits the screen, and the search opens over any page."""

import re

import pytest
from playwright.async_api import expect

from browser.flows import Entering, Visit
from conftest import CPF, World
from trilha.people.users.schema import Role

_OVERFLOW = """() => [".sidebar", ".menu"].map((each) => document.querySelector(each))
    .map((each) => each.scrollHeight - each.clientHeight)"""


async def fits(visit: Visit) -> None:
    assert await visit.page.evaluate(_OVERFLOW) == [0, 0], visit.page.url


@pytest.mark.parametrize("role", ["admin", "gestor", "instrutor"])
@pytest.mark.parametrize("locale", ["pt-BR", "en"])
async def test_the_menu_fits_the_screen(world: World, entered: Entering, role: Role, locale: str) -> None:
    visit = await entered(role, locale=locale, name="Ana Carolina de Albuquerque Cavalcanti")
    await visit.page.set_viewport_size({"width": 1440, "height": 900})
    await visit.go("/admin")
    await fits(visit)
    await expect(visit.page.locator(".sidebar .account__button")).to_be_in_viewport(ratio=1)
    if role != "admin":
        return
    await expect(visit.page.locator("a[href='/admin/settings']")).to_be_in_viewport(ratio=1)
    integration = visit.page.locator("a[href='/admin/webhooks']")
    await expect(integration).not_to_be_visible()
    await visit.page.locator(".menu__group:not([open]) summary").click()
    await integration.click()
    await expect(visit.page).to_have_url(re.compile("/admin/webhooks"))
    await fits(visit)
    await expect(integration).to_be_in_viewport(ratio=1)
    await expect(visit.page.locator("a[href='/admin/settings']")).to_be_in_viewport(ratio=1)
    # On a low screen the menu scrolls, and its end stays.
    await visit.page.set_viewport_size({"width": 1280, "height": 500})
    await expect(visit.page.locator(".sidebar .account__button")).to_be_in_viewport(ratio=1)


async def test_the_palette_finds_a_person_a_course_and_a_page(world: World, entered: Entering) -> None:
    person = await world.user(name="Zuleica Prates", cpf=CPF)
    course = await world.course(title="Zoologia")
    visit = await entered()
    page, box = visit.page, visit.page.locator(".palette__input")
    await visit.go("/admin")
    await page.keyboard.press("Control+k")
    await expect(box).to_be_focused()
    await expect(page.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    await box.fill("zule")
    await expect(page.get_by_role("option")).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(f"/admin/people/{person['id']}$"))
    await page.keyboard.press("Control+k")
    await box.fill("zoolo")
    await expect(page.get_by_role("option")).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(f"/admin/courses/{course}$"))
    await page.locator(".finder__input").click()
    await box.fill("criar")
    await expect(page.get_by_role("option", name="Matricular pessoa")).to_have_count(0)
    await expect(page.get_by_role("option", name="Criar curso", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    first = await box.get_attribute("aria-activedescendant")
    await page.keyboard.press("ArrowDown")
    await expect(box).not_to_have_attribute("aria-activedescendant", first or "")
    await page.keyboard.press("ArrowUp")
    await expect(box).to_have_attribute("aria-activedescendant", first or "")
    await page.keyboard.press("Escape")
    await expect(page.locator("#palette")).not_to_be_visible()
    # A CPF is sent in a body, and no address has it.
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.keyboard.press("Control+k")
    await box.fill(CPF)
    await expect(page.get_by_role("option", name="Zuleica")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(f"/admin/people/{person['id']}$"))
    assert not any(CPF in each for each in asked)


async def test_the_search_works_without_scripts(world: World, entered: Entering) -> None:
    await world.user(name="Zuleica Prates")
    visit = await entered("admin", scripts=False)
    await visit.go("/admin")
    await visit.page.locator(".finder__input").fill("zuleica")
    await visit.page.keyboard.press("Enter")
    await visit.page.get_by_role("link", name="Zuleica").click()
    await visit.is_titled("Zuleica Prates")


async def test_the_search_is_on_a_phone(world: World, entered: Entering) -> None:
    await world.user(name="Zuleica Prates")
    visit = await entered("admin", "phone")
    await visit.go("/admin")
    await visit.page.locator(".topbar [data-palette]").click()
    await visit.page.locator(".palette__input").fill("zuleica")
    await visit.page.get_by_role("option", name="Zuleica").click()
    await visit.is_titled("Zuleica Prates")
