"""Units, groups, the audit record, settings, the outbox and the overview by browser."""

import re
import struct
import zlib
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from playwright.async_api import expect

from browser.visiting import Entering, Visit
from conftest import World
from panel.signing_in import made
from panel.training import manage, unit
from trilha.core.types import Timestamp
from trilha.mail import outbox
from trilha.mail.catalogue import PasswordReset
from trilha.mail.schema import Recipient

WAYS = pytest.mark.parametrize(
    "options", [{}, {"size": "phone", "scripts": False}], ids=["scripts", "phone-no-scripts"]
)


async def offered(visit: Visit, name: str, item: str) -> None:
    """An action of a row's menu."""
    await visit.page.get_by_role("button", name=f"Ações de {name}").click()
    await visit.page.locator("[popover]:popover-open").get_by_role("link", name=item, exact=True).click()


@WAYS
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
        await offered(visit, "Brasil", "Criar unidade abaixo")
        await visit.fill(name=name)
        await visit.press("Criar unidade")
        await visit.is_titled(name)
    await visit.go("/admin/units")
    await visit.lists("Brasil", "Norte", "Sul")
    assert await visit.rows().nth(1).get_attribute("data-depth") == "1"
    await offered(visit, "Sul", "Mover")
    if scripts:
        await page.get_by_role("combobox", name="Abaixo de").fill("Norte")
        await page.get_by_role("option", name=re.compile("Norte$")).click()
    else:
        await page.get_by_label("Abaixo de").select_option("Brasil › Norte")
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
    await visit.press("Incluir gestor")
    await visit.is_told("O gestor foi incluído.")
    await visit.press("Retirar Gina Alves")
    await visit.is_told("O gestor foi retirado.")
    await visit.go("/admin/units")
    await offered(visit, "Norte", "Excluir")
    await expect(page.get_by_text("1 unidade abaixo")).to_be_visible()
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


@WAYS
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
    await visit.is_told("O grupo Brigada foi criado. Agora inclua os membros.")
    await visit.follow("Incluir membros")
    await page.get_by_role("checkbox", name="Ana Lima").check()
    if scripts:
        await expect(page.get_by_text("1 selecionado")).to_be_visible()
    await visit.press("Incluir no grupo")
    await visit.is_told("Pessoas incluídas: 1. Já eram membros: 0.")
    await visit.follow("Incluir membros")
    await visit.follow("Por e-mail")
    await visit.fill(emails="Bruno <bruno@example.com>; caio@example.com, ninguem@example.com")
    await visit.press("Incluir no grupo")
    await expect(page.get_by_text("1 e-mail não é de ninguém")).to_be_visible()
    await expect(page.locator("[name=emails]")).to_have_value("ninguem@example.com")
    await visit.follow("Ver o grupo")
    await visit.lists("Ana", "Bruno", "Caio")
    for name in ("Ana Lima", "Caio Reis"):
        await page.get_by_role("checkbox", name=name).check()
    await visit.press("Retirar do grupo")
    await visit.is_told("Pessoas retiradas do grupo: 2.")
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
    await visit.is_refused("Another group has this name.")


@WAYS
async def test_an_auditor_is_answered(world: World, entered: Entering, options: dict[str, Any]) -> None:
    """Who changed this person's role, when and from where; as a file, too."""
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
    await visit.follow("Tudo do mesmo autor")
    await expect(page.get_by_role("link", name=re.compile("^Por Marina Duarte"))).to_be_visible()


async def test_the_record_is_filtered_by_kind_and_day(world: World, entered: Entering) -> None:
    await world.user(name="Ana Lima")
    await unit(world, "Frota")
    visit = await entered(locale="en")
    await visit.go("/admin/audit")
    await visit.page.get_by_label("About what").select_option("Business units")
    await visit.lists("Business unit created")
    await visit.page.get_by_text("More filters").click()
    await visit.page.get_by_label("Until").fill("2020-01-01")
    await expect(visit.page.get_by_role("heading", name="Nothing matches these filters")).to_be_visible()


@WAYS
async def test_the_company_is_set_up(world: World, entered: Entering, options: dict[str, Any]) -> None:
    visit = await entered(**options)
    page = visit.page
    await visit.go("/admin/settings")
    await visit.fill(name="")
    await visit.press("Salvar configurações")
    await visit.is_refused("Preencha este campo.")
    await visit.fill(name="Transportes Aurora")
    if options:
        await page.get_by_label("Fuso horário").select_option("America/Manaus")
    else:
        await page.get_by_role("combobox", name="Fuso horário").fill("Manaus")
        await page.get_by_role("option", name="America/Manaus").click()
    await visit.press("Salvar configurações")
    await visit.is_told("As configurações foram salvas.")
    await expect(page.locator(".mark__name").first).to_have_text("Transportes Aurora")
    await visit.follow("Aparência")
    await page.locator("[name=brand_colour]").fill("#7a1fa2")
    await visit.press("Salvar cor")
    await visit.is_told("A cor foi salva.")
    colour = await page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--brand')")
    assert colour.strip() == "#7a1fa2"
    await visit.press("Usar a cor da Trilha")
    await visit.is_told("A cor foi salva.")
    logo = {"name": "logo.png", "mimeType": "image/png", "buffer": png()}
    await page.locator("input[type=file]").set_input_files(logo)  # type: ignore[arg-type]
    await visit.press("Salvar logotipo")
    await visit.is_told("O logotipo foi salvo.")
    await expect(page.get_by_alt_text("Logotipo atual")).to_be_visible()
    await visit.press("Remover logotipo")
    await visit.is_told("O logotipo foi removido.")
    await visit.follow("Acesso")
    await visit.fill(password_minimum="7")
    await visit.press("Salvar configurações")
    await visit.is_refused("Informe um número de 8 a 64.")
    await visit.fill(password_minimum="12")
    await page.get_by_label("Administradores precisam de um segundo fator").check()
    await visit.press("Salvar configurações")
    await visit.is_titled("Configurar o segundo fator")


async def test_the_language_of_the_company(world: World, entered: Entering) -> None:
    visit = await entered(locale="en")
    await visit.go("/admin/settings")
    await visit.page.locator("#locale").select_option("English")
    await visit.press("Save settings")
    await visit.is_told("The settings were saved.")


def png() -> bytes:
    """One red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
    return b"\x89PNG\r\n\x1a\n" + head + pixels + chunk(b"IEND", b"")


async def _give_up(world: World) -> None:
    """An e-mail that could not be sent, in this week and before."""
    for days in (0, 20):
        async with world.tx() as tx:
            to = Recipient(f"sent{days}@example.com", "Ana", "pt-BR")
            id = await outbox.send(tx, to=to, message=PasswordReset(link="https://x.test", minutes=60))
            await tx.execute(
                """
                UPDATE mail_messages SET status = 'FAILED', error = 'recipient_refused', content = NULL,
                    next_attempt_at = NULL, created_at = :at
                WHERE tenant_id = :tenant AND id = :id
                """,
                at=world.clock.now - timedelta(days=days),
                id=id,
            )


@pytest.mark.parametrize("locale", ["pt-BR", "en"])
async def test_the_overview_leads_to_exactly_what_it_counts(
    world: World, entered: Entering, locale: str
) -> None:
    english = locale == "en"
    frota = await unit(world, "Frota")
    within = {"business_unit_id": str(frota)}
    course = await world.course(title="Altura")
    for name, days in (("Ana Soon", 3), ("Bia Later", 30)):
        user = await world.user(name=name, **within)
        world.clock.move(seconds=1)
        ends = Timestamp.of(world.clock.now + timedelta(days=days))
        await world.enrollment(user_id=user["id"], course_id=course, expires_at=ends)
    await world.user(name="Caio Alone")
    await world.key("users:read", lifetime=timedelta(days=10))
    await _give_up(world)
    visit = await entered(locale=locale, name="Marina Duarte", **within)
    for sentence, rows in (
        ("1 enrollment ends within 14 days" if english else "1 matrícula termina", ["Ana Soon"]),
        ("1 person belongs to no" if english else "1 pessoa não está em nenhuma", ["Caio Alone"]),
        ("1 API key expires" if english else "1 chave de API expira", ["Test"]),
        ("1 e-mail could not" if english else "1 e-mail não pôde", ["sent0@example.com"]),
    ):
        await visit.go("/admin")
        await visit.page.get_by_role("link", name=re.compile(sentence)).click()
        await visit.lists(*rows)
    await visit.go("/admin")
    await visit.page.locator("a[href='/admin/enrollments?status=open']").click()
    await visit.lists("Bia Later", "Ana Soon")


async def test_a_manager_is_shown_their_own(world: World, entered: Entering) -> None:
    visit = await entered("gestor", "phone", name="Gina Alves")
    async with world.tx() as tx:
        gina: UUID = await tx.value("SELECT id FROM users WHERE tenant_id = :tenant AND name = 'Gina Alves'")
    frota = await unit(world, "Frota")
    await manage(world, frota, gina)
    soon = Timestamp.of(world.clock.now + timedelta(days=3))
    own = await world.user(name="Ana Lima", business_unit_id=str(frota))
    await world.enrollment(user_id=own["id"], expires_at=soon)
    await world.enrollment(expires_at=soon)
    await visit.go("/admin")
    await visit.page.get_by_role("link", name=re.compile("1 matrícula termina")).click()
    await visit.lists("Ana Lima")
