"""Name, language, time zone, color, logo and policies of a company in a browser."""

import struct
import zlib
from typing import Any

from playwright.async_api import expect

from browser.flows import Entering
from browser.ways import played
from conftest import World


@played("phone-no-scripts")
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
    await page.get_by_label("Exigir verificação em duas etapas dos administradores").check()
    await visit.press("Salvar configurações")
    await visit.is_titled("Configurar verificação em duas etapas")


async def test_the_language_of_the_company(world: World, entered: Entering) -> None:
    visit = await entered(locale="en")
    await visit.go("/admin/settings")
    await visit.page.locator("#locale").select_option("English")
    await visit.press("Save settings")
    await visit.is_told("The settings were saved.")


def png() -> bytes:
    """Returns an image with one red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
    return b"\x89PNG\r\n\x1a\n" + head + pixels + chunk(b"IEND", b"")
