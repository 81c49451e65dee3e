"""Importing people: what is accepted, what is refused and why, and that a kill loses nothing."""

import asyncio
import codecs
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import World
from people.people_import.files import HEADER, people, text
from trilha.core.errors import Invalid
from trilha.core.file_store import open_file_store
from trilha.core.sealed_files import SealedFiles
from trilha.core.secrets import Keyring
from trilha.core.types import Name
from trilha.people.business_units import actions as units
from trilha.people.business_units.schema import Code, NewBusinessUnit
from trilha.people.people_import import actions, columns, jobs, queries
from trilha.people.people_import.files import SEALED_IMPORTS, ImportFiles
from trilha.people.people_import.report import report
from trilha.people.people_import.schema import Import, RowProblem
from trilha.people.people_import.sheet import read
from trilha.people.users import queries as user_queries

ADDRESS = "https://trilha.test"
PLAIN = [["Ana Conceição", "ana@example.com", "1", "", "", "", "", ""]]


def files_of(world: World, folder: Path) -> ImportFiles:
    return ImportFiles(open_file_store(None, folder), world.database.keyring)


async def start(world: World, folder: Path, raw: bytes, *, dry_run: bool = False, **options: Any) -> UUID:
    path = await files_of(world, folder).keep(world.tenant.id, raw)
    async with world.tx() as tx:
        return (await actions.start(tx, actions.inspect(raw, **options), path, "rh.csv", dry_run=dry_run)).id


def list_stored(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*.csv")}


async def ended(world: World, import_id: UUID) -> tuple[Import, list[RowProblem]]:
    async with world.tx() as tx:
        return await queries.get(tx, import_id), await queries.list_problems(tx, import_id, limit=10_000)


async def done(world: World, folder: Path, raw: bytes, **options: Any) -> tuple[Import, list[RowProblem]]:
    import_id = await start(world, folder, raw, **options)
    files = files_of(world, folder)
    await jobs.run_next(world.database, files, world.tenant.id, import_id, address=ADDRESS)
    return await ended(world, import_id)


def counts(each: Import) -> tuple[int, int, int, int]:
    return each.created, each.updated, each.unchanged, each.refused


async def stored(world: World) -> list[tuple[Any, ...]]:
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT email, name, employee_number, cpf, phone, job_title, business_unit_id, updated_at
            FROM users WHERE tenant_id = :tenant ORDER BY email
            """
        )
    return [tuple(row) for row in rows]


@pytest.fixture
async def with_units(world: World) -> None:
    async with world.tx() as tx:
        await units.create(tx, NewBusinessUnit(name=Name("Matriz")))
        await units.create(tx, NewBusinessUnit(name=Name("São Paulo"), code=Code("SP-01")))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_guesses_encoding_and_separator(encoding: str, separator: str) -> None:
    sheet = read(text(PLAIN, separator).encode(encoding))
    assert sheet.dialect.separator == separator
    assert sheet.headers == list(HEADER)
    assert [row.cells for row in sheet.rows] == PLAIN


def test_knows_a_file_of_one_column_and_what_excel_puts_first() -> None:
    assert read(b"email\nana@example.com\n").headers == ["email"]
    sheet = read(codecs.BOM_UTF8 + b"sep=|\r\nemail|nome\r\nana@example.com|Ana; e, Bia\r\n")
    assert (sheet.headers, sheet.rows[0].cells) == (["email", "nome"], ["ana@example.com", "Ana; e, Bia"])
    assert sheet.rows[0].line == 3


@pytest.mark.parametrize(
    ("header", "member"),
    [
        *[("E-MAIL", "email"), ("e-mail corporativo", "email"), ("Nome Completo", "name")],
        *[("MATRÍCULA", "employee_number"), ("Data de Nascimento", "birth_date"), ("CPF", "cpf")],
        *[("Employee ID", "employee_number"), ("Date of birth", "birth_date"), ("Função", "job_title")],
        *[("Data de admissão", "hire_date"), ("Dt. Admissão", "hire_date"), ("Hire date", "hire_date")],
        *[("Unidade de negócio", "business_unit"), ("Validade da CNH", "cnh_expiry"), ("Senha", "password")],
    ],
)
def test_recognises_headers(header: str, member: str) -> None:
    draft = actions.inspect(f"{header};email;matricula;Cor\n1;2;3;4\n".encode())
    assert draft.mapping[header] == member
    assert draft.ignored[-1] == "Cor"


async def test_a_mapping_may_be_given(world: World, tmp_path: Path) -> None:
    raw = b"contato,quem,nome\nana@example.com,Ana,x\n"
    finished, problems = await done(world, tmp_path, raw, mapping={"contato": "email", "quem": "name"})
    assert (counts(finished), problems) == ((1, 0, 0, 0), [])
    assert (await stored(world))[0][:2] == ("ana@example.com", "Ana")
    with pytest.raises(Invalid, match="invalid_value"):
        actions.inspect(raw, {"contato": "email", "quem": "email"})


async def bring_in(world: World, folder: Path, count: int, bad: int) -> None:
    """Runs a dry run, the import, and the same import again."""
    rows, wrong = people(count, bad)
    raw = text(rows).encode("cp1252")
    good = count - bad
    finished, problems = await done(world, folder, raw, dry_run=True)
    assert counts(finished) == (good, 0, 0, bad)
    assert {each.line: each.code for each in problems} == wrong
    assert await stored(world) == []
    assert await world.events("user.created") == []
    began = time.monotonic()
    finished, problems = await done(world, folder, raw)
    print(f"\n{count} rows in {time.monotonic() - began:.1f} s")
    assert (finished.state, counts(finished)) == ("DONE", (good, 0, 0, bad))
    assert {each.line: each.code for each in problems} == wrong
    assert list_stored(folder) == set()
    before = await stored(world)
    assert len(before) == len(await world.events("user.created")) == good
    world.clock.move(seconds=5)
    finished, _ = await done(world, folder, raw)
    assert counts(finished) == (0, 0, good, bad)
    assert await stored(world) == before
    assert len([type for type, _ in await world.events() if type.startswith("user.")]) == good


@pytest.mark.usefixtures("with_units")
async def test_good_rows_come_in_and_bad_ones_are_told(world: World, tmp_path: Path) -> None:
    await bring_in(world, tmp_path, 300, 40)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("with_units")
async def test_ten_thousand_rows(world: World, tmp_path: Path) -> None:
    await bring_in(world, tmp_path, 10_000, 500)


async def test_names_line_column_and_reason_and_shows_no_document(world: World, tmp_path: Path) -> None:
    raw = "E-mail;Nome;CPF;Celular;Nascimento;Senha\n"
    raw += "a@example.com;Ana;529.982.247-26;11 8765-432;2020-01-01;x\n"
    raw += "52998224725;=1+1;;;;\n"
    finished, problems = await done(world, tmp_path, raw.encode())
    assert counts(finished) == (0, 0, 0, 2)
    assert [(each.line, each.column, each.code, each.value) for each in problems] == [
        (2, "CPF", "invalid_cpf", "***.***.***-26"),
        (2, "Celular", "invalid_phone", "** ****-*32"),
        (2, "Senha", "too_short", "********"),
        (2, "Nascimento", "underage", "****-**-**"),
        (3, "E-mail", "invalid_email", "*********25"),
    ]
    async with world.tx() as tx:
        lines = "".join([part async for part in report(tx, finished.id)]).splitlines()
    assert lines[0] == "line,column,code,message,value"
    assert lines[1].startswith("2,CPF,invalid_cpf,")
    assert len(lines) == 6


async def test_easy_passwords_are_refused(world: World, tmp_path: Path) -> None:
    raw = "E-mail;Nome;Senha\n"
    raw += "a@example.com;Ana;Mudar123\n"
    raw += "marina@example.com;Marina;marina2026\n"
    raw += f"c@example.com;Caio;{world.tenant.slug}2026\n"
    raw += "d@example.com;Duda;um cavalo correto\n"
    finished, problems = await done(world, tmp_path, raw.encode())
    assert counts(finished) == (1, 0, 0, 3)
    assert sorted((each.line, each.column, each.code, each.value) for each in problems) == [
        (2, "Senha", "password_common", "********"),
        (3, "Senha", "password_is_name", "********"),
        (4, "Senha", "password_is_name", "********"),
    ]


async def test_updates_by_email_then_by_number_and_leaves_empty_cells_alone(
    world: World, tmp_path: Path
) -> None:
    ana = await world.user(email="ana@example.com", employee_number="1", job_title="Analista")
    bia = await world.user(email="bia@example.com", employee_number="2", name="Bia")
    async with world.tx() as tx:  # a file gives no role to people whose password came from an integration
        await user_queries.confirm_address(tx, UUID(ana["id"]))
    raw = (
        "email,nome,matricula,cargo,papel\nANA@example.com,Ana Maria,1,,gestor\nb@example.com,Bia,2,Chefe,\n"
    )
    raw += ",,3,x,\nana2@example.com,Ana,1,,\n"
    finished, problems = await done(world, tmp_path, raw.encode())
    assert counts(finished) == (0, 2, 0, 2)
    assert [(each.line, each.code, each.column) for each in problems] == [
        (4, "required", "email"),
        (5, "duplicate_row", "matricula"),
    ]
    ana = (await world.http.get(f"/v1/users/{ana['id']}")).json()["data"]
    bia = (await world.http.get(f"/v1/users/{bia['id']}")).json()["data"]
    assert (ana["name"], ana["role"], ana["job_title"]) == ("Ana Maria", "gestor", "Analista")
    assert (bia["email"], bia["job_title"]) == ("b@example.com", "Chefe")
    told = [type for type, _ in await world.events() if type.startswith("user.")]
    changes = [type for type in told if type != "user.created"]
    assert sorted(changes) == ["user.role_changed", "user.updated", "user.updated"]


async def test_refuses_what_would_take_over_somebody(world: World, tmp_path: Path) -> None:
    admin = await world.user(email="admin@example.com", employee_number="9")
    async with world.tx() as tx:
        await tx.execute("UPDATE users SET role = 'admin' WHERE tenant_id = :tenant")
    await world.user(email="c@example.com", employee_number="7", cpf="529.982.247-25")
    await world.user(email="d@example.com", employee_number="8")
    await world.user(email="e@example.com", employee_number="8")
    raw = "email,nome,matricula,cpf\nthief@example.com,X,9,\nnew@example.com,X,,52998224725\n"
    raw += "d2@example.com,X,8,\nadmin@example.com,X,7,\n"
    finished, problems = await done(world, tmp_path, raw.encode())
    assert counts(finished) == (0, 0, 0, 4)
    assert [(each.line, each.code) for each in sorted(problems, key=lambda each: each.line)] == [
        (2, "privileged_user"),
        (3, "cpf_exists"),
        (4, "ambiguous_employee_number"),
        (5, "employee_number_of_another"),
    ]
    assert (await world.http.get(f"/v1/users/{admin['id']}")).json()["data"]["email"] == "admin@example.com"


async def test_who_has_no_password_is_to_be_invited(world: World, tmp_path: Path) -> None:
    raw = b"email,nome,senha\nana@example.com,Ana,correct horse\nbia@example.com,Bia,\n"
    await done(world, tmp_path, raw)
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT password_hash IS NULL AS bare, must_change_password, invitation_due FROM users
            WHERE tenant_id = :tenant ORDER BY email
            """
        )
    assert [tuple(row) for row in rows] == [(False, True, False), (True, False, True)]


async def test_a_file_that_is_gone_fails(world: World, tmp_path: Path) -> None:
    import_id = await start(world, tmp_path, b"email,nome\nana@example.com,Ana\n")
    (only,) = list_stored(tmp_path)
    (tmp_path / only).unlink()
    await jobs.ImportPeople(open_file_store(None, tmp_path), ADDRESS).run_once(world.database)
    finished, _ = await ended(world, import_id)
    assert (finished.state, finished.failure) == ("FAILED", "The file is not there any more.")


async def test_old_reports_go(world: World, tmp_path: Path) -> None:
    finished, _ = await done(world, tmp_path, b"email,nome\nana,Ana\n")
    for days, left in ((29, 1), (1, 0)):
        world.clock.move(days=days)
        async with world.tx() as tx:
            await jobs.prune(tx)
            assert await tx.value("SELECT count(*) FROM import_problems WHERE tenant_id = :tenant") == left
    assert finished.state == "DONE"


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ("Nome do colaborador;E-mail corporativo;Dt. Nasc.;Matr.", "name email birth_date employee_number"),
        ("Funcionário;Nome do gestor;CPF nº;Data do exame", "name - cpf -"),
        ("Nome da unidade;Nome;Telefone celular;Registration no", "business_unit name phone employee_number"),
        ("Nome completo;Nome do funcionário;e-mail;EMAIL", "name - email -"),
    ],
)
def test_headers_are_recognised(headers: str, found: str) -> None:
    names = headers.split(";")
    guessed = columns.guess(names)
    assert [guessed.get(name, "-") for name in names] == found.split()


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
url, folder, tenant, id, after = sys.argv[1:]
jobs.BATCH = 50
keyring = Keyring([b"k" * 32])
turns = 0
insert = actions.queries.advance
async def advance(*given):
    global turns
    turns += 1
    if turns > int(after):
        os.kill(os.getpid(), signal.SIGKILL)
    await insert(*given)
actions.queries.advance = advance
async def main():
    database = Database(serving_urls(url, keyring), system_clock, keyring)
    await database.open()
    files = ImportFiles(open_file_store(None, Path(folder)), keyring)
    await jobs.run_next(database, files, UUID(tenant), UUID(id), address="")
asyncio.run(main())
"""


@pytest.mark.usefixtures("with_units")
@pytest.mark.parametrize("after", [0, 3])
async def test_killed_in_the_middle_and_run_again_ends_the_same(
    world: World, tmp_path: Path, after: int
) -> None:
    rows, wrong = people(300, 40)
    import_id = await start(world, tmp_path, text(rows).encode())
    script = [sys.executable, "-c", KILLED, world.url, str(tmp_path), str(world.tenant.id)]
    script += [str(import_id), str(after)]
    ran = await asyncio.to_thread(subprocess.run, script, capture_output=True, text=True)
    assert ran.returncode == -9, ran.stderr
    halfway, _ = await ended(world, import_id)
    assert halfway.done == 50 * after
    assert len(await stored(world)) == halfway.created
    # PostgreSQL may need a moment to release the locks of the killed process.
    for _ in range(100):
        await jobs.ImportPeople(open_file_store(None, tmp_path), ADDRESS).run_once(world.database)
        finished, problems = await ended(world, import_id)
        if finished.state == "DONE":
            break
    assert counts(finished) == (260, 0, 0, 40)
    assert {each.line: each.code for each in problems} == wrong
    assert len(await stored(world)) == len(await world.events("user.created")) == 260
    assert list_stored(tmp_path) == set()


async def test_a_kept_file_is_sealed_until_the_import_ends(world: World, tmp_path: Path) -> None:
    """It contains CPFs and passwords."""
    raw = b"email;nome;cpf;senha\nana@example.com;Ana;529.982.247-25;correct horse\n"
    files = files_of(world, tmp_path)
    path = await files.keep(world.tenant.id, raw)
    assert list_stored(tmp_path) == {path}
    stored = (tmp_path / path).read_bytes()
    assert not any(each in stored for each in (b"ana@example.com", b"529", b"correct horse"))
    assert await files.read(path) == raw
    async with world.tx() as tx:
        started = await actions.start(tx, actions.inspect(raw), path, "rh.csv", dry_run=False)
    await jobs.run_next(world.database, files, world.tenant.id, started.id, address=ADDRESS)
    assert counts((await ended(world, started.id))[0]) == (1, 0, 0, 0)
    assert list_stored(tmp_path) == set()


@pytest.mark.parametrize("how", ["cut", "changed", "another's", "unsealed", "gone"])
async def test_a_kept_file_that_does_not_open_fails_the_import(
    world: World, tmp_path: Path, how: str
) -> None:
    raw = text(PLAIN).encode()
    files = files_of(world, tmp_path)
    path, other = [await files.keep(world.tenant.id, raw) for _ in range(2)]
    async with world.tx() as tx:
        started = await actions.start(tx, actions.inspect(raw), path, "rh.csv", dry_run=False)
    if how == "gone":
        (tmp_path / path).unlink()
    else:
        sealed = (tmp_path / path).read_bytes()
        spoiled = {
            "cut": sealed[:-1],
            "changed": sealed[:-1] + bytes([sealed[-1] ^ 1]),
            "another's": (tmp_path / other).read_bytes(),
        }
        spoiled["unsealed"] = raw
        (tmp_path / path).write_bytes(spoiled[how])
    await jobs.run_next(world.database, files, world.tenant.id, started.id, address=ADDRESS)
    found, _ = await ended(world, started.id)
    assert (found.state, found.failure) == ("FAILED", "The file is not there any more.")
    assert not (tmp_path / path).exists()


async def test_a_file_that_no_import_has_is_swept(world: World, tmp_path: Path) -> None:
    """A process was killed between writing the file and the row."""
    raw = text(PLAIN).encode()
    files = files_of(world, tmp_path)
    stray, owned, new = [await files.keep(world.tenant.id, raw) for _ in range(3)]
    old_folder = tmp_path / "old"
    old_folder.mkdir()
    (old_folder / "forgotten.csv").write_bytes(b"")
    async with world.tx() as tx:
        await actions.upload(tx, actions.inspect(raw), owned, "rh.csv")
    now = world.database.clock().timestamp()
    for path, hours in ((stray, 2), (owned, 2), (new, 0), ("old/forgotten.csv", 49)):
        os.utime(tmp_path / path, (now, now - 3600 * hours))
    sweep = jobs.SweepFiles(open_file_store(None, tmp_path), old_folder)
    assert await sweep.run_once(world.database) == 2
    assert list_stored(tmp_path) == {owned, new}


@pytest.mark.parametrize("is_here", [True, False])
async def test_an_import_from_before_the_file_store(world: World, tmp_path: Path, is_here: bool) -> None:
    """Its file is in a folder of one machine, and its path is absolute."""
    raw = text(PLAIN).encode()
    name = f"{world.tenant.id}.{uuid4()}.csv"
    old = tmp_path / "imports"
    if is_here:
        await SealedFiles(open_file_store(None, old), world.database.keyring).put(name, raw)
    async with world.tx() as tx:
        started = await actions.start(tx, actions.inspect(raw), str(old / name), "rh.csv", dry_run=False)
    files = files_of(world, tmp_path / "files")
    await jobs.run_next(world.database, files, world.tenant.id, started.id, address=ADDRESS)
    found, _ = await ended(world, started.id)
    if is_here:
        assert (found.state, counts(found)) == ("DONE", (1, 0, 0, 0))
    else:
        sentence = "The file is on another machine, or is not there any more. Upload it again."
        assert (found.state, found.failure) == ("FAILED", sentence)
    assert list_stored(tmp_path) == set()


async def test_a_waiting_file_is_sealed_again(world: World, tmp_path: Path) -> None:
    """Otherwise it could not be read once the old master key is gone."""
    raw = text(PLAIN).encode()
    store = open_file_store(None, tmp_path)
    path = await ImportFiles(store, Keyring([b"o" * 32])).keep(world.tenant.id, raw)
    keyring = Keyring([b"n" * 32, b"o" * 32])
    async with world.tx() as tx:
        await actions.upload(tx, actions.inspect(raw), path, "rh.csv")
        rows = await tx.rows(SEALED_IMPORTS.select, after=UUID(int=0), limit=10)
        (key,) = [SEALED_IMPORTS.key(tx.tenant_id, row) for row in rows]
    assert await SealedFiles(store, keyring).reseal(key)
    assert await ImportFiles(store, Keyring([b"n" * 32])).read(path) == raw
