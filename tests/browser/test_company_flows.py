"""Business units, learning groups and the audit log in a browser."""

import re
from typing import Any

from playwright.async_api import expect

from browser.flows import Entering, Visit
from browser.ways import played
from conftest import World
from web.panel.signing_in import made
from web.panel.training_pages import unit


async def offered(visit: Visit, name: str, item: str) -> None:
    """Returns an action in the menu of a row."""
    await visit.page.get_by_role("button", name=f"Ações para {name}").click()
    await visit.page.locator("[popover]:popover-open").get_by_role("link", name=item, exact=True).click()


@played("scripts")
async def test_a_tree_of_units(world: World, entered: Entering, options: dict[str, Any]) -> None:
    scripts = not options
    gestor = await made(world, "gestor", name="Gina Alves")
    visit = await entered(**options)
    page = visit.page
    await visit.go("/admin/units")
    await visit.follow("Criar unidade")
    await visit.press("Criar unidade")
    await visit.is_refused("Preencha este campo.")
    await visit.fill(name="Brasil", code="BR")
    await visit.press("Criar unidade")
    await visit.is_told("A unidade Brasil foi criada.")
    for name in ("Norte", "Sul"):
        await visit.go("/admin/units")
        await offered(visit, "Brasil", "Criar subunidade")
        await visit.fill(name=name)
        await visit.press("Criar unidade")
        await visit.is_titled(name)
    await visit.go("/admin/units")
    await visit.lists("Brasil", "Norte", "Sul")
    assert await visit.rows().nth(1).get_attribute("data-depth") == "1"
    await offered(visit, "Sul", "Mover")
    if scripts:
        await page.get_by_role("combobox", name="Unidade superior").fill("Norte")
        await page.get_by_role("option", name=re.compile("Norte$")).click()
    else:
        await page.get_by_label("Unidade superior").select_option("Brasil › Norte")
    await visit.press("Mover unidade")
    await visit.is_told("A unidade Sul foi movida.")
    await visit.go("/admin/units")
    await visit.lists("Brasil", "Norte", "Sul")
    assert await visit.rows().nth(2).get_attribute("data-depth") == "2"
    await offered(visit, "Norte", "Gestores")
    if scripts:
        await page.get_by_role("combobox", name="Pessoa").press_sequentially("gin")
        await page.get_by_role("option", name="Gina Alves").click()
    else:
        await page.get_by_label("Pessoa").select_option(str(gestor.id))
    await visit.press("Adicionar gestor")
    await visit.is_told("O gestor foi adicionado.")
    await visit.press("Remover Gina Alves")
    await visit.is_told("O gestor foi removido.")
    await visit.go("/admin/units")
    await offered(visit, "Norte", "Excluir")
    await expect(page.get_by_text("1 subunidade")).to_be_visible()
    await visit.go("/admin/units")
    await offered(visit, "Sul", "Excluir")
    await visit.press("Excluir unidade")
    await visit.is_told("A unidade Sul foi excluída.")


async def test_units_are_found_with_their_place(world: World, entered: Entering) -> None:
    top = await unit(world, "Brasil")
    await unit(world, "São Paulo", top, code="sp-01")
    visit = await entered(locale="en")
    await visit.go("/admin/units")
    await visit.page.get_by_role("searchbox").press_sequentially("sao p")
    await visit.lists("São PauloBrasil")


@played("phone-no-scripts")
async def test_a_group_and_its_members(world: World, entered: Entering, options: dict[str, Any]) -> None:
    scripts = not options
    for name in ("Ana Lima", "Bruno Sá", "Caio Reis"):
        await world.user(name=name, email=f"{name.split()[0].lower()}@example.com")
    visit = await entered(**options)
    page = visit.page
    await visit.go("/admin/groups")
    await visit.follow("Criar grupo")
    await visit.fill(name="Brigada", description="De incêndio")
    await visit.press("Criar grupo")
    await visit.is_told("O grupo Brigada foi criado. Agora adicione os membros.")
    await visit.follow("Adicionar membros")
    await page.get_by_role("checkbox", name="Ana Lima").check()
    if scripts:
        await expect(page.get_by_text("1 selecionado")).to_be_visible()
    await visit.press("Adicionar ao grupo")
    await visit.is_told("Pessoas adicionadas: 1. Já eram membros: 0.")
    await visit.follow("Adicionar membros")
    await visit.follow("Por e-mail")
    await visit.fill(emails="Bruno <bruno@example.com>; caio@example.com, ninguem@example.com")
    await visit.press("Adicionar ao grupo")
    await expect(page.get_by_text("1 e-mail não encontrado")).to_be_visible()
    await expect(page.locator("[name=emails]")).to_have_value("ninguem@example.com")
    await visit.follow("Ver grupo")
    await visit.lists("Ana", "Bruno", "Caio")
    for name in ("Ana Lima", "Caio Reis"):
        await page.get_by_role("checkbox", name=name).check()
    await visit.press("Remover do grupo")
    await visit.send()
    await visit.is_told("2 pessoas foram removidas do grupo.")
    await visit.lists("Bruno")
    await page.get_by_role("button", name="Mais ações").click()
    await visit.follow("Editar")
    await visit.fill(name="Brigadistas")
    await visit.press("Salvar alterações")
    await visit.is_titled("Brigadistas")
    await page.get_by_role("button", name="Mais ações").click()
    await visit.follow("Excluir")
    await visit.press("Excluir grupo")
    await visit.is_told("O grupo Brigadistas foi excluído.")


async def test_groups_in_english(entered: Entering) -> None:
    visit = await entered("admin", "phone", locale="en")
    await visit.go("/admin/groups")
    await visit.follow("Create group")
    await visit.fill(name="Drivers")
    await visit.press("Create group")
    await visit.is_titled("Drivers")
    await visit.go("/admin/groups/new")
    await visit.fill(name="Drivers")
    await visit.press("Create group")
    await visit.is_refused("Another group already has this name. Enter a different one.")


@played("scripts")
async def test_an_auditor_is_answered(world: World, entered: Entering, options: dict[str, Any]) -> None:
    """The audit log answers who changed this person's role, when and from where, on the page and
    as a file.
    """
    user = await made(world, name="Fábio Luz")
    world.clock.move(minutes=1)
    visit = await entered(name="Marina Duarte", **options)
    page = visit.page
    await visit.go(f"/admin/people/{user.id}/role")
    await page.get_by_label("Gestor").check()
    await visit.press("Mudar papel")
    await visit.go("/admin/audit")
    if options:
        await page.get_by_role("searchbox").fill("Fábio Luz")
        await visit.press("Buscar")
    else:
        await page.get_by_role("searchbox").press_sequentially("Fábio Luz")
    await visit.lists("Papel alterado", "Pessoa adicionada")
    row = page.get_by_role("row").filter(has_text="Papel alterado")
    await expect(row).to_contain_text("Marina Duarte")
    await expect(row).to_contain_text("127.0.0.1")
    lines = await visit.download("Baixar em CSV")
    assert [line.split(";")[1] for line in lines] == ["action", "user.role_changed", "user.created"]
    await visit.follow("Papel alterado")
    await visit.follow("Ver registros do mesmo autor")
    await expect(page.get_by_role("link", name=re.compile("^Por Marina Duarte"))).to_be_visible()


async def test_the_record_is_filtered_by_kind_and_day(world: World, entered: Entering) -> None:
    await world.user(name="Ana Lima")
    await unit(world, "Frota")
    visit = await entered(locale="en")
    await visit.go("/admin/audit")
    await visit.page.get_by_label("Any subject").select_option("Business units")
    await visit.lists("Business unit created")
    await visit.page.get_by_text("More filters").click()
    await visit.page.get_by_label("Until").fill("2020-01-01")
    await expect(visit.page.get_by_role("heading", name="No results for these filters")).to_be_visible()
