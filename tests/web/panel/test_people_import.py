"""Importing people in the panel over HTTP, with the worker's job run between the pages."""

import html
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from conftest import World
from people.custom_fields.test_custom_fields import field
from people.people_import.files import people, text
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.people_import import columns as columns_of
from trilha.people.people_import import jobs, sheet
from trilha.people.people_import.files import ImportFiles, of_tenant
from trilha.settings import Settings
from web.panel.signing_in import made, send, signed_in, user_id

PLAIN = text([["Ana Conceição", "ana@example.com", "1", "", "", "", "", ""]])


@pytest.fixture
async def admin(world: World) -> httpx2.AsyncClient:
    return await signed_in(world)


async def upload(admin: httpx2.AsyncClient, raw: bytes, name: str = "rh.csv") -> httpx2.Response:
    return await admin.post(
        "/admin/people/import/new",
        data={"csrf_token": admin.headers["x-csrf-token"]},
        files={"file": (name, raw, "text/csv")},
    )


Work = Callable[[], Awaitable[None]]


@pytest.fixture
def work(world: World, settings: Settings) -> Work:
    """Runs the worker once, on the application's files."""
    files = ImportFiles(settings.open_files(), world.database.keyring)

    async def run() -> None:
        await jobs.run_next(world.database, files, world.tenant.id, address="https://trilha.test")

    return run


def list_stored(world: World, settings: Settings) -> list[Path]:
    return list((settings.data_dir / "files" / of_tenant(world.tenant.id)).glob("*"))


def columns(page: str) -> list[str]:
    """Returns the meanings chosen for the columns."""
    selects = re.findall(r'<select[^>]*name="member".*?</select>', page, re.DOTALL)
    chosen = [re.search(r'value="([^"]*)" selected', each) for each in selects]
    return [each[1] if each else "" for each in chosen]


async def emails(world: World) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT email FROM users WHERE tenant_id = :tenant ORDER BY email")
    return [row["email"] for row in rows]


async def test_from_the_file_to_the_people(
    world: World, admin: httpx2.AsyncClient, settings: Settings, work: Work
) -> None:
    before = await emails(world)
    rows, wrong = people(60, bad=10)
    sent = await upload(admin, text(rows).encode("cp1252"))
    assert sent.status_code == 303, sent.text
    path = sent.headers["location"]
    page = (await admin.get(path)).text
    assert "José Conceição 0" in page
    assert "60 rows" in page
    assert columns(page)[:4] == ["name", "email", "employee_number", "cpf"]
    assert not re.search(r"\d{3}\.\d{3}\.\d{3}-\d{2}", page)
    chosen = {"member": [*columns(page)[:7], ""]}  # the units are left out
    assert (await send(admin, f"{path}/columns", **chosen)).headers["location"] == path
    assert "Starting soon" in (await admin.get(path)).text
    await work()
    assert await emails(world) == before
    assert (await admin.get(f"{path}/progress")).headers["location"] == path
    page = (await admin.get(path)).text
    bad = len([code for code in wrong.values() if code != "unknown_business_unit"])
    assert f"Import {60 - bad} people" in page
    assert "The person is not yet 18." in page
    assert (await send(admin, f"{path}/start")).headers["location"] == path
    await work()
    assert len(await emails(world)) == len(before) + 60 - bad
    assert list_stored(world, settings) == []
    report = await admin.get(f"{path}/report")
    assert report.headers["content-disposition"].startswith("attachment")
    lines = report.content.decode("utf-8-sig").splitlines()
    assert lines[0] == "Line,Column,Code,Problem,Value"
    assert {int(line.split(",")[0]) for line in lines[1:]} == {
        line for line, code in wrong.items() if code != "unknown_business_unit"
    }
    listed = (await admin.get("/admin/people/import")).text
    assert "rh.csv" in listed
    assert "Done, with problems" in listed


async def test_who_started_it_is_told_by_mail(world: World, admin: httpx2.AsyncClient, work: Work) -> None:
    path = (await upload(admin, PLAIN.encode())).headers["location"]
    await send(admin, f"{path}/columns", member=["name", "email"])
    await work()
    assert await told(world) == []  # the dry run changes nothing
    await send(admin, f"{path}/start")
    await work()
    ((to, locale, text),) = await told(world)
    async with world.tx() as tx:
        email = await tx.value(
            "SELECT email FROM users WHERE tenant_id = :tenant AND id = :id", id=user_id(admin)
        )
    assert (to, locale) == (email, "pt-BR")
    assert f"https://trilha.test{path}" in text
    assert '"created":1' in text


async def told(world: World) -> list[tuple[str, str, str]]:
    """Returns the e-mails about imports: recipient, language and content."""
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT id, to_email, locale, content FROM mail_messages
            WHERE tenant_id = :tenant AND kind = 'import_finished'
            """
        )
        return [
            (
                row["to_email"],
                row["locale"],
                tx.keyring.open(row["content"], tx.tenant_id, "mail_messages", row["id"]),
            )
            for row in rows
        ]


async def test_the_report_is_in_the_readers_words(world: World, work: Work) -> None:
    admin = await signed_in(world, locale="pt-BR")
    path = (await upload(admin, b"nome,email,cpf\nAna,ana@example.com,1\n")).headers["location"]
    await send(admin, f"{path}/columns", member=["name", "email", "cpf"])
    await work()
    report = (await admin.get(f"{path}/report")).content.decode("utf-8-sig").splitlines()
    assert report == [
        "Linha;Coluna;Código;Problema;Valor",
        "2;cpf;invalid_cpf;Os dígitos verificadores do CPF não conferem.;1",
    ]


async def test_imports_with_problems_are_found(world: World, admin: httpx2.AsyncClient, work: Work) -> None:
    for raw, name in ((b"nome,email\nAna,a\nBia,bia@example.com\n", "bad.csv"), (PLAIN.encode(), "good.csv")):
        path = (await upload(admin, raw, name)).headers["location"]
        await send(admin, f"{path}/columns", member=["name", "email"])
        await work()
        await send(admin, f"{path}/start")
        await work()
    page = (await admin.get("/admin/people/import?failed=true")).text
    assert "bad.csv" in page
    assert "good.csv" not in page
    assert 'href="/admin/people/import?failed=true"' in (await admin.get("/admin")).text


async def test_progress_is_told_until_it_ends(world: World, admin: httpx2.AsyncClient, work: Work) -> None:
    path = (await upload(admin, PLAIN.encode())).headers["location"]
    await send(admin, f"{path}/columns", member=["name", "email"])
    asked = {"hx-request": "true"}
    part = await admin.get(f"{path}/progress", headers=asked)
    assert "data-poll" in part.text
    assert "<html" not in part.text
    await work()
    ended = await admin.get(f"{path}/progress", headers=asked)
    assert (ended.status_code, ended.headers["hx-redirect"]) == (204, path)


async def test_separator_and_columns_are_corrected(
    world: World, admin: httpx2.AsyncClient, work: Work
) -> None:
    path = (await upload(admin, b"quem,onde|mail\nAna,x|ana@example.com\n")).headers["location"]
    await send(admin, f"{path}/dialect", separator="|", encoding="utf-8")
    page = (await admin.get(path)).text
    assert "quem,onde" in page
    assert columns(page) == ["", "email"]
    for chosen, told in (
        (["name", ""], "Choose the column with the e-mail or the employee number."),
        (["email", "email"], "Two columns are said to be the same."),
    ):
        refused = await send(admin, f"{path}/columns", member=chosen)
        assert refused.status_code == 422
        assert told in html.unescape(refused.text)
        assert columns(refused.text) == chosen
    await send(admin, f"{path}/columns", member=["name", "email"])
    await work()
    assert "Import 1 person" in (await admin.get(path)).text
    again = await admin.get(f"{path}/columns")
    assert columns(again.text) == ["name", "email"]


@pytest.mark.parametrize("raw", [b"", b"only a header\n", b"\x00\x01\x02"])
async def test_what_is_no_table_is_refused(
    world: World, admin: httpx2.AsyncClient, raw: bytes, settings: Settings
) -> None:
    refused = await upload(admin, raw)
    assert refused.status_code == 422
    assert list_stored(world, settings) == []


async def test_an_import_is_started_once(world: World, admin: httpx2.AsyncClient, work: Work) -> None:
    path = (await upload(admin, PLAIN.encode())).headers["location"]
    assert (await send(admin, f"{path}/start")).status_code == 303
    async with world.tx() as tx:
        assert [
            row["state"] for row in await tx.rows("SELECT state FROM imports WHERE tenant_id = :tenant")
        ] == ["DRAFT"]
    await send(admin, f"{path}/columns", member=["name", "email"])
    await work()
    await send(admin, f"{path}/start")
    refused = await send(admin, f"{path}/start")
    assert refused.status_code == 422
    assert "This import was started already." in refused.text


async def test_what_nobody_starts_is_removed(
    world: World, admin: httpx2.AsyncClient, settings: Settings, work: Work
) -> None:
    path = (await upload(admin, PLAIN.encode())).headers["location"]
    await work()
    assert len(list_stored(world, settings)) == 1
    world.clock.move(hours=25)
    close: Any
    (close,) = (
        job
        for job in jobs.jobs(settings.open_files(), "", Path())
        if job.name == "close imports that were not started"
    )
    assert world.tenant.id in await close.due_tenants(world.database, world.tenant.id)
    await close.run_in(world.database, world.tenant.id)  # only here: other tests have drafts, too
    await work()
    assert list_stored(world, settings) == []
    world.clock.move(hours=-25)
    assert "The file could not be taken" in (await admin.get(path)).text


async def test_others_have_no_imports(world: World, stranger: World, admin: httpx2.AsyncClient) -> None:
    path = (await upload(admin, PLAIN.encode())).headers["location"]
    theirs = await signed_in(stranger)
    for part in ("", "/progress", "/columns", "/report"):
        assert (await theirs.get(path + part)).status_code == 404
    for part in ("/columns", "/dialect", "/start"):
        assert (await send(theirs, path + part, separator=",", encoding="utf-8")).status_code == 404
    manager = await signed_in(world, "gestor")
    for part in ("", "/progress", "/columns", "/report"):
        assert (await manager.get(path + part)).status_code == 403
    assert (await manager.get("/admin/people/import")).status_code == 403
    assert (await upload(manager, PLAIN.encode())).status_code == 403
    assert await made(world)


@pytest.mark.parametrize("locale", ["pt-BR", "en"])
async def test_the_template_has_every_column(world: World, admin: httpx2.AsyncClient, locale: str) -> None:
    await field(world, "shift", "choice", choices=["Dia"])
    answer = await admin.get("/admin/people/import/template", headers={"accept-language": locale})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    headers = sheet.read(answer.content + b"\r\nx").headers
    async with world.tx() as tx:
        mapping = columns_of.guess(headers, await custom_fields.list_fields(tx))
    assert list(mapping) == headers
    assert set(mapping.values()) == {*columns_of.NAMES, "custom_fields.shift"} - {"password"}


async def test_a_column_is_a_custom_field(world: World, admin: httpx2.AsyncClient) -> None:
    await field(world, "pis", personal=True)
    raw = b"email;nome;custom_fields.pis;custom_fields.nada\nana@example.com;Ana;120.1;x\n"
    page = (await admin.get((await upload(admin, raw)).headers["location"])).text
    assert columns(page) == ["email", "name", "custom_fields.pis", "custom_fields.nada"]
    assert ">Pis</option>" in page
    assert "120.1" not in page
