"""Every component in a browser: no console messages, accessible, and no horizontal scroll."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from browser.chromium import PAGES, new_context
from browser.usable import Heard, layout_faults, serious_faults

_SIZES = ("phone", "desktop")


async def opened(
    launched: Browser, size: str, theme: str = "light", **options: Any
) -> tuple[Page, list[str]]:
    """Opens a page, and returns its complaints: console messages, policy violations and failed scripts."""
    context = await new_context(launched, size, theme, bypass_csp=False, **options)
    page = await context.new_page()
    return page, Heard(page).said


Tabs = Callable[[str, str], Awaitable[tuple[Page, Heard]]]


@pytest.fixture(scope="module")
async def tabs(launched: Browser, axe: str) -> AsyncIterator[Tabs]:
    """Opens one tab per look, because opening one takes as long as showing a page."""
    found: dict[tuple[str, str], tuple[Page, Heard]] = {}

    async def tab(size: str, theme: str) -> tuple[Page, Heard]:
        if (size, theme) not in found:
            context = await new_context(launched, size, theme, bypass_csp=False)
            await context.add_init_script(axe)
            page = await context.new_page()
            found[size, theme] = page, Heard(page)
        return found[size, theme]

    yield tab
    for page, _ in found.values():
        await page.context.close()


def in_the_long_form(size: str, theme: str) -> Any:
    return pytest.param(size, theme, marks=pytest.mark.long)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("size", "theme"),
    [
        ("phone", "light"),
        ("desktop", "dark"),
        in_the_long_form("phone", "dark"),
        in_the_long_form("desktop", "light"),
    ],
)
async def test_a_page(tabs: Tabs, gallery: str, axe: str, name: str, size: str, theme: str) -> None:
    page, heard = await tabs(size, theme)
    heard.said.clear()
    heard.hosts.clear()
    await page.goto(gallery + PAGES[name])
    assert heard.said == []
    assert heard.hosts == {gallery.split("/")[2]}
    assert await layout_faults(page, size) == []
    assert await serious_faults(page, axe) == []


@pytest.mark.parametrize("size", _SIZES)
async def test_searching_as_you_type(launched: Browser, gallery: str, size: str) -> None:
    page, said = await opened(launched, size)
    await page.goto(f"{gallery}/list")
    await page.get_by_role("searchbox").press_sequentially("elisa")
    await page.wait_for_url("**q=elisa*")
    await page.get_by_role("status").get_by_text("2 pessoas", exact=True).wait_for()
    assert await page.get_by_role("rowheader").all_inner_texts() == [
        f"Elisa Prado\npessoa.{number}@aurora.example" for number in (4, 10)
    ]
    assert await page.evaluate("document.activeElement.id") == "q"
    assert said == []
    await page.context.close()


async def test_more_rows_and_where_the_focus_goes(launched: Browser, gallery: str) -> None:
    page, said = await opened(launched, "desktop")
    await page.goto(f"{gallery}/list")
    assert await page.get_by_role("rowheader").count() == 6
    await page.get_by_role("link", name="Mostrar mais").press("Enter")
    await page.get_by_role("rowheader").nth(11).wait_for()
    await page.wait_for_function("document.activeElement.closest('tr')?.id === 'person-6'")
    assert said == []
    await page.context.close()


async def test_a_question_as_a_dialog_and_as_a_page(launched: Browser, gallery: str) -> None:
    page, said = await opened(launched, "desktop")
    await page.goto(f"{gallery}/long")
    await page.get_by_role("link", name="Apagar dados").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.wait_for()
    assert await page.evaluate("document.activeElement.textContent") == "Cancelar"
    await dialog.get_by_role("button", name="Apagar dados").click()
    await dialog.get_by_text("Digite o nome exatamente").wait_for()
    await dialog.get_by_label("Para confirmar").fill("Ana Beatriz Lima")
    await dialog.get_by_role("button", name="Apagar dados").click()
    await page.get_by_text("foram apagados").wait_for()
    assert page.url == f"{gallery}/list"
    await page.reload()
    assert await page.get_by_text("foram apagados").count() == 0
    assert said == []
    await page.context.close()


async def test_without_scripts(launched: Browser, gallery: str) -> None:
    page, _ = await opened(launched, "phone", java_script_enabled=False)
    await page.goto(f"{gallery}/list")
    await page.get_by_role("searchbox").fill("elisa")
    await page.get_by_role("button", name="Buscar").click()
    await page.get_by_text("2 pessoas", exact=True).wait_for()
    await page.get_by_role("button", name="Menu", exact=True).click()
    await page.get_by_role("link", name="Visão geral").click()
    await page.wait_for_url(gallery)
    await page.goto(f"{gallery}/sign-in")
    await page.get_by_role("button", name="Escuro").click()
    await page.locator("html[data-theme=dark]").wait_for()
    await page.get_by_role("button", name="English").click()
    await page.locator("html[lang=en]").wait_for()
    assert page.url == f"{gallery}/sign-in"
    await page.goto(f"{gallery}/confirm")
    await page.get_by_label("To confirm").fill("Ana Beatriz Lima")
    await page.get_by_role("button", name="Apagar dados").click()
    await page.wait_for_url(f"{gallery}/list")
    await page.context.close()


async def test_choosing_by_typing(launched: Browser, gallery: str) -> None:
    page, said = await opened(launched, "desktop")
    await page.goto(f"{gallery}/form")
    box = page.get_by_role("combobox", name="Unidade")
    await box.fill("sao jose")
    await page.get_by_role("option", name="São José dos Campos").wait_for()
    await box.press("ArrowDown")
    await box.press("Enter")
    assert await box.input_value() == "São José dos Campos"
    assert await page.locator("select[name=unit]").input_value() == "4"
    assert said == []
    await page.context.close()


async def test_ticking_rows(launched: Browser, gallery: str) -> None:
    page, said = await opened(launched, "desktop")
    await page.goto(f"{gallery}/list")
    assert not await page.get_by_role("button", name="Matricular").is_visible()
    await page.get_by_role("checkbox", name="Selecionar todas").check()
    await page.get_by_text("6 selecionados").wait_for()
    await page.get_by_role("checkbox", name="Célia Nogueira").uncheck()
    await page.get_by_text("5 selecionados").wait_for()
    assert said == []
    await page.context.close()


async def test_a_lost_connection_is_told(launched: Browser, gallery: str) -> None:
    page, _ = await opened(launched, "desktop")
    await page.goto(f"{gallery}/list")
    await page.context.set_offline(True)
    await page.get_by_role("link", name="Mostrar mais").click()
    await page.get_by_role("alert").get_by_text("Você está sem conexão").wait_for()
    await page.context.close()


async def test_the_first_page_is_light(launched: Browser, gallery: str) -> None:
    """The first page transfers at most 120 KB in at most six requests."""
    page, _ = await opened(launched, "phone")
    session = await page.context.new_cdp_session(page)
    await session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    await page.goto(gallery, wait_until="networkidle")
    assert sum(sizes) < 120_000
    assert len(sizes) <= 6
    await page.context.close()
