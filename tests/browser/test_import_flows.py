"""Importing people in a browser: from the file of an HR system to the created people and the errors."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import expect

from browser.flows import Entering, Visit
from browser.ways import played
from conftest import World
from people.people_import.files import people, text
from trilha.people.people_import import jobs
from trilha.people.people_import.files import ImportFiles
from trilha.settings import Settings
from web.panel.training_pages import unit

Work = Callable[[], Awaitable[None]]


@pytest.fixture
def work(world: World, settings: Settings) -> Work:
    """Runs the worker once, on the application's files."""
    files = ImportFiles(settings.open_files(), world.database.keyring)

    async def run() -> None:
        await jobs.run_next(world.database, files, world.tenant.id, address="https://trilha.test")

    return run


async def sent(visit: Visit, raw: bytes, name: str = "admissões.csv") -> None:
    await visit.go("/admin/people/import/new")
    file = {"name": name, "mimeType": "text/csv", "buffer": raw}
    await visit.page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    await visit.press("Enviar arquivo")
    await visit.is_titled(name)


async def emails(world: World) -> set[str]:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT email FROM users WHERE tenant_id = :tenant")
    return {row["email"] for row in rows}


@played("scripts")
async def test_a_messy_file_is_checked_corrected_and_imported(
    world: World, entered: Entering, options: dict[str, Any], work: Work
) -> None:
    await unit(world, "Matriz")
    await unit(world, "São Paulo", code="sp-01")
    visit = await entered(**options)
    page = visit.page
    rows, wrong = people(60, bad=16)
    await sent(visit, text(rows).encode("cp1252"))
    await expect(page.get_by_label("Separador")).to_have_value(";")
    await expect(page.get_by_label("Codificação")).to_have_value("cp1252")
    await expect(page.get_by_label("O que é a coluna E-mail")).to_have_value("email")
    # Two columns with the same meaning are refused, and the choice stays.
    await page.get_by_label("O que é a coluna Cargo").select_option("E-mail")
    await visit.press("Conferir arquivo")
    await visit.is_refused("Duas colunas estão indicadas como a mesma coisa.")
    await page.get_by_label("O que é a coluna Cargo").select_option("Cargo")
    await visit.press("Conferir arquivo")
    await expect(page.get_by_text("Vai começar em instantes")).to_be_visible()
    before = await emails(world)
    await work()
    if not options:
        await expect(page.get_by_text("Nada mudou ainda")).to_be_visible()  # the page refreshed itself
    await page.reload()
    assert await emails(world) == before
    await expect(page.get_by_role("cell", name="A pessoa ainda não tem 18 anos.").first).to_be_visible()
    shown = await page.locator("#rows tr:not(.table__more)").count()
    assert shown == len(wrong)
    report = await visit.download("Baixar relatório")
    assert report[0] == "Linha;Coluna;Código;Problema;Valor"
    assert {int(line.split(";")[0]) for line in report[1:]} == set(wrong)
    await visit.press("Importar 44 pessoas")
    await work()
    await visit.go("/admin/people/import")
    await visit.lists("admissões.csv")
    await expect(page.get_by_text("Concluída, com problemas")).to_be_visible()
    assert len(await emails(world)) == len(before) + 44
    async with world.tx() as tx:
        told = await tx.value(
            "SELECT count(*) FROM mail_messages WHERE tenant_id = :tenant AND kind = 'import_finished'"
        )
    assert told == 1
    # The same file again changes nothing.
    await sent(visit, text(rows).encode("cp1252"))
    await visit.press("Conferir arquivo")
    await work()
    await page.reload()
    await expect(page.get_by_text("Com este arquivo, nada mudaria.")).to_be_visible()
    await expect(page.get_by_role("button", name="Importar")).to_have_count(0)


async def test_a_separator_that_was_guessed_wrong(world: World, entered: Entering, work: Work) -> None:
    visit = await entered(locale="en")
    await visit.go("/admin/people/import/new")
    await visit.press("Send file")
    await visit.is_refused("Choose a file.")
    file = {"name": "hr.csv", "mimeType": "text/csv", "buffer": b"who,where|mail\nAna,x|ana@example.com\n"}
    await visit.page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    await visit.press("Send file")
    await visit.page.get_by_label("Separator").select_option("Bar |")
    await visit.press("Read file again")
    await visit.lists("who,where", "mail")
    await visit.page.get_by_label("What the column who,where is").select_option("Full name")
    await visit.press("Check file")
    await work()
    await expect(visit.page.get_by_role("button", name="Import 1 person")).to_be_visible()


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from uuid import UUID
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.file_store import open_file_store
from trilha.core.secrets import Keyring
from trilha.people.people_import import actions, jobs
from trilha.people.people_import.files import ImportFiles
url, folder, tenant = sys.argv[1:]
keyring = Keyring([b"k" * 32])
turns = 0
advance = actions.queries.advance
async def killed(*given):
    global turns
    turns += 1
    if turns > 9:
        os.kill(os.getpid(), signal.SIGKILL)
    await advance(*given)
actions.queries.advance = killed
async def main():
    database = Database(serving_urls(url, keyring), system_clock, keyring)
    await database.open()
    files = ImportFiles(open_file_store(None, Path(folder)), keyring)
    await jobs.run_next(database, files, UUID(tenant), address="")
asyncio.run(main())
"""


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_ten_thousand_rows_with_five_hundred_bad_ones(
    world: World, entered: Entering, settings: Settings, work: Work
) -> None:
    """The page shows progress. A killed import that continues gives the same result, and a second import
    changes nothing.
    """
    await unit(world, "Matriz")
    await unit(world, "São Paulo", code="sp-01")
    visit = await entered()
    page = visit.page
    rows, wrong = people(10_000, bad=500)
    raw = "\ufeff".encode() + text(rows).encode()
    before = len(await emails(world))
    await sent(visit, raw)
    await visit.press("Conferir arquivo")
    await work()
    await visit.press("Importar 9.500 pessoas")
    command = [
        sys.executable,
        "-c",
        KILLED,
        world.url,
        str(settings.data_dir / "files"),
        str(world.tenant.id),
    ]
    worker = await asyncio.create_subprocess_exec(*command)
    await expect(page.get_by_text("de 10.000 linhas")).to_be_visible(timeout=60_000)
    assert await worker.wait() == -signal.SIGKILL
    await page.reload()
    await expect(page.get_by_text("4.500 de 10.000 linhas")).to_be_visible()
    halfway = len(await emails(world)) - before
    assert 4000 < halfway < 4500
    async with world.tx() as tx:  # the claim of the killed process is released
        await tx.rows("SELECT FROM imports WHERE tenant_id = :tenant FOR UPDATE")
    await work()
    await expect(page.get_by_text("Linhas com problema").first).to_be_visible(timeout=20_000)
    assert len(await emails(world)) == before + 9500
    _, *report = await visit.download("Baixar relatório")
    assert {int(line.split(";")[0]): line.split(";")[2] for line in report} == wrong
    await sent(visit, raw)
    await visit.press("Conferir arquivo")
    await work()
    await page.reload()
    await expect(page.get_by_text("Com este arquivo, nada mudaria.")).to_be_visible()
