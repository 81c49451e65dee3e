"""People in the panel in a browser: search, add, change, invite, suspend, erase."""

import re
from collections.abc import Mapping
from typing import Any

from playwright.async_api import expect

from browser.flows import Entering, Visit, Visits
from browser.ways import played
from conftest import World
from web.panel.signing_in import PASSWORD
from web.panel.training_pages import unit

WAYS: Mapping[str, Mapping[str, Any]] = {
    "desktop": {},
    "phone": {"size": "phone"},
    "no-scripts": {"scripts": False, "locale": "en"},
}


async def named(world: World, email: str) -> dict[str, Any]:
    async with world.tx() as tx:
        (row,) = await tx.rows(
            "SELECT id, name, status, role FROM users WHERE tenant_id = :tenant AND email = :email",
            email=email,
        )
    return dict(row)


async def chosen(visit: Visit, item: str, button: str) -> None:
    """Chooses an action of the menu and confirms it, in a dialog if there are scripts."""
    await visit.page.get_by_role("button", name=re.compile("^Ações para|^Actions for")).click()
    await visit.page.get_by_role("link", name=item, exact=True).click()
    await visit.press(button)


async def test_people_are_found_as_one_types(world: World, entered: Entering) -> None:
    frota = await unit(world, "Frota")
    await world.user(name="Ana Conceição", email="ana@example.com", business_unit_id=str(frota))
    await world.user(name="Bruno Sá", email="bruno@example.com", employee_number="F-77", cpf="529.982.247-25")
    visit = await entered(name="Marina Duarte")
    page = visit.page
    await visit.go("/admin/people")
    await visit.lists("Ana Conceição", "Bruno Sá", "Marina Duarte")
    box = page.get_by_role("searchbox")
    for typed, found in (
        ("conceicao", "Ana"),
        ("F-77", "Bruno"),
        ("52998224725", "Bruno"),
        ("ana@ex", "Ana"),
    ):
        await box.fill("")
        await box.press_sequentially(typed)
        await visit.lists(found)
        await expect(box).to_be_focused()
        await expect(page).to_have_url(re.compile(f"q={typed.replace('@', '%40')}$"))
    await box.fill("ninguém")
    await expect(page.get_by_role("heading", name="Nenhum resultado para estes filtros")).to_be_visible()
    await visit.follow("Limpar filtros")
    await page.get_by_label("Todos os papéis").select_option("Administrador")
    await visit.lists("Marina")
    await page.reload()
    await visit.lists("Marina")
    await page.get_by_role("link", name=re.compile("^Administrador")).click()
    await page.get_by_text("Mais filtros").click()
    await page.get_by_label("Todas as unidades").select_option("Frota")
    await visit.lists("Ana")


async def test_who_is_in_no_unit_is_found_and_the_filter_stays_while_typing(
    world: World, entered: Entering
) -> None:
    frota = await unit(world, "Frota")
    await world.user(name="Ana Lima", business_unit_id=str(frota))
    await world.user(name="Bruno Sá")
    visit = await entered("admin", "phone", locale="en", name="Marina Duarte")
    await visit.go("/admin/people")
    await visit.page.get_by_text("More filters").click()
    await visit.page.get_by_label("In no business unit").check()
    await visit.lists("Bruno", "Marina")
    await visit.page.get_by_role("searchbox").press_sequentially("bru")
    await visit.lists("Bruno")
    assert "without_unit=true" in visit.page.url
    await visit.page.get_by_role("link", name=re.compile("^In no business unit")).click()
    await visit.lists("Bruno")
    assert "without_unit" not in visit.page.url


@played("no-scripts", WAYS)
async def test_a_person_is_added_after_a_refusal_and_edited(
    world: World, entered: Entering, options: dict[str, Any]
) -> None:
    english = options.get("locale") == "en"
    visit = await entered(**options)
    page = visit.page
    await visit.go("/admin/people/new")
    await visit.fill(name="Carla Nunes", email="carla", cpf="111.111.111-11")
    await visit.press("Add person" if english else "Adicionar pessoa")
    await visit.is_refused("Enter the 11 digits of the CPF." if english else "Informe os 11 dígitos do CPF.")
    await expect(page).to_have_title(re.compile("^Er"))
    await expect(page.locator("[name=email]")).to_have_attribute("aria-invalid", "true")
    await expect(page.locator("[name=name]")).to_have_value("Carla Nunes")
    await visit.fill(email="carla@example.com", cpf="529.982.247-25")
    await visit.press("Add person" if english else "Adicionar pessoa")
    await visit.is_titled("Carla Nunes")
    await visit.is_told("e-mail")
    await expect(page.get_by_text("***.***.***-25")).to_be_visible()
    await visit.follow("Edit profile" if english else "Editar cadastro")
    await visit.fill(job_title="Motorista", email="ana.nunes@example.com")
    await visit.press("Save profile" if english else "Salvar cadastro")
    await visit.is_told("Carla Nunes")
    await expect(page.get_by_text("Motorista", exact=True)).to_be_visible()
    assert (await named(world, "ana.nunes@example.com"))["name"] == "Carla Nunes"


async def test_a_password_is_shown_once_and_lets_in(world: World, entered: Entering, visits: Visits) -> None:
    visit = await entered()
    await visit.go("/admin/people/new")
    await visit.fill(name="Davi Reis", email="davi@example.com")
    await visit.page.get_by_label("Senha provisória").check()
    await visit.press("Adicionar pessoa")
    password = await visit.page.locator("#secret").input_value()
    await visit.follow("Já guardei")
    await visit.is_titled("Davi Reis")
    assert password not in await visit.page.content()
    other = await visits("phone")
    await other.sign_in(world, "davi@example.com", password)
    await other.is_at("/login/password")
    await chosen(visit, "Definir senha provisória", "Definir senha")
    again = await visit.page.locator("#secret").input_value()
    assert again != password
    await other.sign_in(world, "davi@example.com", password)
    await other.is_refused("E-mail ou senha incorretos. Confira os dados e tente de novo.")
    await other.sign_in(world, "davi@example.com", again)
    await other.is_at("/login/password")


@played("phone", WAYS)
async def test_out_and_in_again(
    world: World, entered: Entering, visits: Visits, options: dict[str, Any]
) -> None:
    english = options.get("locale") == "en"
    user = await world.user(name="Eva Prado", email="eva@example.com", password=PASSWORD)
    eva = await visits()
    await eva.sign_in(world, "eva@example.com")
    visit = await entered(**options)
    in_english = (
        ("End sessions", "End sessions", "Eva Prado is signed out everywhere.", "ACTIVE"),
        ("Suspend", "Suspend person", "Eva Prado is suspended.", "SUSPENDED"),
        ("End suspension", "End suspension", "Eva Prado can sign in again.", "ACTIVE"),
        ("Deactivate", "Deactivate person", "Eva Prado is inactive.", "INACTIVE"),
        ("Activate", "Activate person", "Eva Prado is active.", "ACTIVE"),
    )
    in_portuguese = (
        ("Encerrar sessões", "Encerrar sessões", "As sessões de Eva Prado foram encerradas.", "ACTIVE"),
        ("Suspender", "Suspender pessoa", "O acesso de Eva Prado está suspenso.", "SUSPENDED"),
        ("Encerrar suspensão", "Encerrar suspensão", "Eva Prado já pode entrar de novo.", "ACTIVE"),
        ("Desativar", "Desativar pessoa", "O cadastro de Eva Prado está inativo.", "INACTIVE"),
        ("Ativar", "Ativar pessoa", "O cadastro de Eva Prado está ativo.", "ACTIVE"),
    )
    await visit.go(f"/admin/people/{user['id']}")
    for item, button, told, status in in_english if english else in_portuguese:
        await chosen(visit, item, button)
        await visit.is_told(told)
        assert (await named(world, "eva@example.com"))["status"] == status
    await eva.go("/learn/profile")
    await eva.is_at("/login?next=/learn/profile")


async def test_another_role_and_what_is_on_record_of_it(world: World, entered: Entering) -> None:
    user = await world.user(name="Fábio Luz", email="fabio@example.com")
    visit = await entered(name="Marina Duarte")
    await visit.go(f"/admin/people/{user['id']}")
    await visit.page.get_by_role("button", name="Ações para Fábio Luz").click()
    await visit.follow("Mudar papel")
    dialog = visit.page.get_by_role("dialog")
    await dialog.get_by_label("Gestor").check()
    await dialog.get_by_role("button", name="Mudar papel").click()
    await visit.is_told("O papel de Fábio Luz agora é: Gestor.")
    await visit.follow("Histórico")
    first = visit.page.get_by_role("listitem").filter(has_text="Papel").first
    await expect(first).to_contain_text("Gestor")
    await expect(first).to_contain_text("Marina Duarte")


@played("desktop", WAYS)
async def test_erasing_asks_for_the_name(world: World, entered: Entering, options: dict[str, Any]) -> None:
    english = options.get("locale") == "en"
    user = await world.user(name="Gil Araújo", email="gil@example.com")
    visit = await entered(**options)
    await visit.go(f"/admin/people/{user['id']}")
    button = "Erase data" if english else "Apagar dados"
    await chosen(visit, "Erase personal data" if english else "Apagar dados pessoais", button)
    hint = "Type it as it stands" if english else "Digite como está"
    await expect(visit.page.get_by_text(hint).last).to_be_visible()
    await visit.page.locator("[name=typed]").fill("gil araujo")
    await visit.press(button)
    await visit.is_at("/admin/people")
    await visit.go("/admin/people?q=gil")
    await visit.lists()
    async with world.tx() as tx:
        left = await tx.value("SELECT count(*) FROM users WHERE tenant_id = :tenant AND name ILIKE 'gil%'")
    assert left == 0


async def test_a_manager_sees_their_people_alone(world: World, entered: Entering) -> None:
    other = await world.user(name="Hugo Fora")
    visit = await entered("gestor", "phone")
    await visit.go("/admin/people")
    await expect(visit.page.get_by_role("heading", name="Ninguém por aqui ainda")).to_be_visible()
    await visit.go(f"/admin/people/{other['id']}")
    await visit.is_titled("Página não encontrada")
