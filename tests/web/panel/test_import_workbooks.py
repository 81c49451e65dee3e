"""Importing workbooks, and enrolling their people in the same step."""

import io
import re
import zipfile
from datetime import date
from typing import Any
from uuid import UUID

import httpx2
import openpyxl
import pytest
from xlsxwriter import Workbook

from conftest import CPF, World
from people.custom_fields.test_custom_fields import field
from trilha.core.errors import Invalid
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.people_import import columns, workbook_conversion
from trilha.people.people_import.sheet import read, sample
from trilha.people.people_import.workbooks import OLD_FORMAT, WorkbookReader
from trilha.settings import Settings
from trilha.training.learning_paths import actions as paths
from trilha.training.learning_paths.schema import NewPath
from web.panel.signing_in import send, signed_in
from web.panel.test_people_import import Work, list_stored, work  # noqa: F401
from web.panel.training_pages import flash, unit

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def workbook(rows: list[list[Any]]) -> bytes:
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True, "default_date_format": "dd/mm/yyyy"}) as book:
        book.add_worksheet("Vazia")
        sheet = book.add_worksheet("Pessoas")
        for number, row in enumerate(rows):
            for place, value in enumerate(row):
                sheet.write(number, place, value)
    return file.getvalue()


@pytest.fixture
async def admin(world: World) -> httpx2.AsyncClient:
    return await signed_in(world)


async def upload(
    admin: httpx2.AsyncClient, raw: bytes, name: str = "rh.xlsx", **fields: str
) -> httpx2.Response:
    return await admin.post(
        "/admin/people/import/new",
        data={"csrf_token": admin.headers["x-csrf-token"], **fields},
        files={"file": (name, raw, XLSX)},
    )


async def start(admin: httpx2.AsyncClient, path: str, work: Work, members: list[str]) -> str:  # noqa: F811
    await send(admin, f"{path}/columns", member=members)
    await work()
    await send(admin, f"{path}/start")
    await work()
    return (await admin.get(path)).text


async def make_path(world: World, *courses: UUID) -> UUID:
    async with world.tx() as tx:
        path = await paths.create(tx, NewPath(title="Integração"), list(courses))
        await paths.publish(tx, path.id)
    return path.id


async def test_200_people_of_a_workbook_come_onto_a_path(
    world: World,
    admin: httpx2.AsyncClient,
    work: Work,  # noqa: F811
    settings: Settings,
) -> None:
    path_id = await make_path(world, await world.course(), await world.course())
    known = await world.user(email="p0@example.com", name="Antiga")
    rows: list[list[Any]] = [["Nome", "E-mail", "Matrícula/Número de registro", "Admissão", "CPF", "Ramal"]]
    cpf = int(re.sub(r"\D", "", CPF))
    rows += [
        [f"Pessoa {n}", f"p{n}@example.com", f"{n:05}", date(2024, 1, 31), cpf if n == 7 else "", n]
        for n in range(200)
    ]
    due = "2099-12-31"
    path = (await upload(admin, workbook(rows), path_id=str(path_id), due_on=due)).headers["location"]
    page = (await admin.get(path)).text
    assert "1 column of the file is ignored" in page
    assert "Ramal" in page
    assert "How the file is written" not in page
    result = await start(admin, path, work, ["name", "email", "employee_number", "hire_date", "cpf", ""])
    assert "Ignored column: Ramal" in result
    assert "Integração" in result
    assert list_stored(world, settings) == []
    async with world.tx() as tx:
        (done,) = await tx.rows("SELECT * FROM imports WHERE tenant_id = :tenant")
        assert (done["created"], done["updated"], done["refused"]) == (199, 1, 0)
        assert (done["enrolled"], done["enrolled_before"], done["not_enrolled"]) == (200, 0, 0)
        assigned = await tx.rows("SELECT * FROM learning_path_assignments WHERE tenant_id = :tenant")
        assert len(assigned) == 200
        assert {str(each["due_at"])[:10] for each in assigned} == {"2100-01-01"}  # the end of the day in UTC
        assert known["id"] in {str(each["user_id"]) for each in assigned}
        enrolled = await tx.value("SELECT count(*) FROM enrollments WHERE tenant_id = :tenant")
        assert enrolled == 400
        hired = await tx.value(
            "SELECT hire_date FROM users WHERE tenant_id = :tenant AND employee_number = '00007'"
        )
        assert str(hired) == "2024-01-31"
    # The same file again changes nothing, and enrolls nobody twice.
    path = (await upload(admin, workbook(rows), path_id=str(path_id))).headers["location"]
    await start(admin, path, work, ["name", "email", "employee_number", "hire_date", "cpf", ""])
    async with world.tx() as tx:
        import_id = UUID(path.rpartition("/")[2])
        (row,) = await tx.rows("SELECT * FROM imports WHERE tenant_id = :tenant AND id = :id", id=import_id)
        assert (row["unchanged"], row["enrolled"], row["enrolled_before"]) == (200, 0, 200)


async def test_units_that_the_company_does_not_have_are_created(
    world: World,
    admin: httpx2.AsyncClient,
    work: Work,  # noqa: F811
) -> None:
    await unit(world, "Matriz")
    rows: list[list[Any]] = [["Nome", "E-mail", "Unidade", "Gestor imediato"]]
    names = ("Matriz", "Filial Recife", "filial recife", "12345678 Sul", "x" * 150)
    rows += [[f"Pessoa {n}", f"p{n}@example.com", name, "Marta"] for n, name in enumerate(names)]
    path = (await upload(admin, workbook(rows))).headers["location"]
    assert "Managers are not imported. Choose" in (await admin.get(path)).text
    await send(admin, f"{path}/columns", member=["name", "email", "business_unit", ""])
    await work()
    page = (await admin.get(path)).text
    assert "The company has no units with these names" in page
    assert "Unidade: There is no such business unit. <strong>4 rows</strong>" in page
    assert "Filial Recife (2 rows)" in page
    assert "Create 3 units and check again" in page
    assert "2 units were created." in flash(await send(admin, f"{path}/units"))
    await work()
    page = (await admin.get(path)).text
    assert "Import 4 people" in page  # no unit can have the last name
    assert "Create 1 unit and check again" in page
    assert "Correct the names in the file" in flash(await send(admin, f"{path}/units"))
    await work()
    async with world.tx() as tx:
        units = await tx.rows("SELECT name FROM business_units WHERE tenant_id = :tenant ORDER BY name")
    assert [each["name"] for each in units] == ["12345678 Sul", "Filial Recife", "Matriz"]
    await send(admin, f"{path}/start")
    await work()
    page = (await admin.get(path)).text
    assert "The rows with problems were left out." in page
    assert "This import was started already." in (await send(admin, f"{path}/units")).text


async def test_the_form_begins_with_a_path(world: World, admin: httpx2.AsyncClient) -> None:
    path_id = await make_path(world, await world.course())
    page = (await admin.get(f"/admin/paths/{path_id}/assign")).text
    assert f'href="/admin/people/import/new?path={path_id}"' in page
    form = (await admin.get(f"/admin/people/import/new?path={path_id}")).text
    assert re.search(rf'<option value="{path_id}" selected>', form)


async def test_new_people_alone_are_enrolled_and_problems_name_their_rows(
    world: World,
    admin: httpx2.AsyncClient,
    work: Work,  # noqa: F811
) -> None:
    course = await world.course()
    await world.user(email="old@example.com", name="Antiga")
    raw = b"nome;email\nAntiga;old@example.com\nNova;new@example.com\nErro;x\n"
    path = (await upload(admin, raw, "rh.csv", course_id=str(course), people="new")).headers["location"]
    await start(admin, path, work, ["name", "email"])
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT u.email FROM enrollments e JOIN users u ON u.tenant_id = e.tenant_id AND u.id = e.user_id
            WHERE e.tenant_id = :tenant
            """
        )
        assert [row["email"] for row in rows] == ["new@example.com"]
    suspended = await world.user(email="suspended@example.com", name="Suspensa")
    await world.http.post(f"/v1/users/{suspended['id']}/suspend")
    raw = b"nome;email\nAntiga;old@example.com\nSuspensa;suspended@example.com\n"
    for target in ({"course_id": str(course)}, {"path_id": str(await make_path(world, course))}):
        path = (await upload(admin, raw, "rh.csv", **target)).headers["location"]
        page = await start(admin, path, work, ["name", "email"])
        assert "Not enrolled: the person is suspended or inactive." in page
        report = (await admin.get(f"{path}/report")).text
        assert "3,,user_not_active" in report.replace(";", ",")
    async with world.tx() as tx:
        rows = await tx.rows("SELECT enrolled, not_enrolled FROM imports WHERE tenant_id = :tenant")
        assert {(row["enrolled"], row["not_enrolled"]) for row in rows} == {(1, 0), (1, 1)}


async def test_where_people_are_enrolled_is_checked_first(
    world: World, stranger: World, admin: httpx2.AsyncClient
) -> None:
    raw = b"nome;email\nAna;ana@example.com\n"
    course, draft = await world.course(), await world.course(publish=False)
    path = await make_path(world, course)
    both = await upload(admin, raw, course_id=str(course), path_id=str(path))
    assert (both.status_code, "not both" in both.text) == (422, True)
    assert "This course is not published" in (await upload(admin, raw, course_id=str(draft))).text
    assert "day in the future" in (await upload(admin, raw, course_id=str(course), due_on="2020-01-01")).text
    others = await upload(admin, raw, course_id=str(await stranger.course()))
    assert others.status_code == 404


async def test_a_course_that_ends_meanwhile_is_reported(
    world: World,
    admin: httpx2.AsyncClient,
    work: Work,  # noqa: F811
) -> None:
    path_id = await make_path(world, await world.course())
    raw = b"nome;email\nAna;ana@example.com\n"
    path = (await upload(admin, raw, "rh.csv", path_id=str(path_id))).headers["location"]
    async with world.tx() as tx:
        await paths.archive(tx, path_id)
    page = await start(admin, path, work, ["name", "email"])
    assert "Not enrolled: the learning path is no longer published." in page


def test_cells_are_read_as_people_see_them() -> None:
    raw = workbook(
        [
            ["E-mail", "CPF", "Admissão", "Ativo", "Nota", "Obs"],
            [],
            ["a@example.com", 1234567890.0, date(2024, 2, 1), True, 7.5, "duas\nlinhas"],
        ]
    )
    result = workbook_conversion.convert(raw)
    assert result.number_columns == [1, 4]
    sheet = read(result.csv)
    assert sheet.headers == ["E-mail", "CPF", "Admissão", "Ativo", "Nota", "Obs"]
    (row,) = sheet.rows
    assert row.line == 3
    assert row.cells == ["a@example.com", "1234567890", "2024-02-01", "true", "7.5", "duas linhas"]


def test_titles_hidden_sheets_merged_cells_and_formulas() -> None:
    book = openpyxl.Workbook()
    hidden = book.active
    assert hidden is not None
    hidden.sheet_state = "hidden"
    hidden["A1"] = "Lista de unidades"
    book.create_sheet("Capa")
    sheet = book.create_sheet("Pessoas")
    sheet["B2"] = "Relatório de colaboradores"
    sheet.merge_cells("B2:E2")
    sheet["B3"] = "Gerado em 01/12/2026"
    for place, header in enumerate(("Nome", "E-mail", "Unidade", "Cargo"), 2):
        sheet.cell(5, place, header)
    for line in (6, 7, 9, 10):
        sheet.cell(line, 2, f"Pessoa {line}")
        sheet.cell(line, 3, f"p{line}@example.com")
    sheet["D6"] = "Filial Sul"
    sheet.merge_cells("D6:D9")
    sheet["E6"] = '="Ana" & "lista"'  # was never computed
    file = io.BytesIO()
    book.save(file)
    result = workbook_conversion.convert(file.getvalue())
    table = read(result.csv)
    assert table.headers == ["Nome", "E-mail", "Unidade", "Cargo"]
    assert [(row.line, row.cells[2:]) for row in table.rows] == [
        (6, ["Filial Sul"]),
        (7, ["Filial Sul"]),
        (9, ["Filial Sul"]),
        (10, []),
    ]
    assert sample(result.csv, table.dialect).headers == table.headers


def test_formulas_are_their_values() -> None:
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["email", "nota", "erro", "data"])
        sheet.write_formula(1, 0, '=LOWER("A@EXAMPLE.COM")', None, "a@example.com")
        sheet.write_formula(1, 1, "=2*3", None, 6)
        sheet.write_formula(1, 2, "=1/0", None, "#DIV/0!")
        sheet.write_formula(1, 3, "=TODAY()", book.add_format({"num_format": "dd/mm/yyyy"}), 46000)
    (row,) = read(workbook_conversion.convert(file.getvalue()).csv).rows
    assert row.cells == ["a@example.com", "6", "", "2025-12-09"]


def test_csv_files_may_have_titles_too() -> None:
    table = read(b"Relatorio\n\nGerado hoje\nnome,email\nAna,a@example.com\nBia,b@example.com\n")
    assert (table.headers, table.dialect.separator) == (["nome", "email"], ",")
    assert [row.line for row in table.rows] == [5, 6]
    assert read(b"email\na@example.com\nb@example.com;x\n").headers == ["email"]


async def test_lost_zeros_are_restored_or_told(
    world: World,
    admin: httpx2.AsyncClient,
    work: Work,  # noqa: F811
) -> None:
    header = ["nome", "email", "matrícula", "cpf"]
    rows = [header, ["Ana", "ana@example.com", 7, 123456797]]
    page = (await admin.get((await upload(admin, workbook(rows))).headers["location"])).text
    assert "Do your employee numbers begin with zeros?" in page
    rows = [header, ["Ana", "ana@example.com", "007", 123456797]]  # the CPF 001.234.567-97
    path = (await upload(admin, workbook(rows))).headers["location"]
    assert "begin with zeros?" not in (await admin.get(path)).text
    await start(admin, path, work, ["name", "email", "employee_number", "cpf"])
    async with world.tx() as tx:
        (done,) = await tx.rows("SELECT * FROM imports WHERE tenant_id = :tenant AND created > 0")
        assert (done["created"], done["refused"]) == (1, 0)


def far_away() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"] = "email"
    sheet["XFD1048576"] = "a@example.com"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def repeated() -> bytes:
    """Builds an OpenDocument file of 1 KB, one row of which counts for a thousand million."""
    space = "urn:oasis:names:tc:opendocument:xmlns"
    cell = '<t:table-cell t:number-columns-repeated="16000" o:value-type="string"><x:p>x</x:p></t:table-cell>'
    content = (
        f'<o:document-content xmlns:o="{space}:office:1.0" xmlns:t="{space}:table:1.0" '
        f'xmlns:x="{space}:text:1.0"><o:body><o:spreadsheet><t:table t:name="A">'
        f'<t:table-row t:number-rows-repeated="1000000000">{cell}</t:table-row>'
        "</t:table></o:spreadsheet></o:body></o:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr(
            "META-INF/manifest.xml",
            '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
    return file.getvalue()


def bomb() -> bytes:
    file = io.BytesIO(workbook([["email"], ["a@example.com"]]))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/big.xml", "w") as part:
        for _ in range(60):
            part.write(b"0" * (10 << 20))
    return file.getvalue()


async def test_hostile_workbooks_are_refused(world: World, settings: Settings) -> None:
    reader = WorkbookReader(settings.scratch)
    wide = workbook([[f"c{n}" for n in range(600)], ["x"] * 600])
    good = workbook([["email"], ["a@example.com"]])
    try:
        for raw, code in (
            (bomb(), "file_too_large"),
            (wide, "file_too_large"),
            (far_away(), "file_too_large"),
            (repeated(), "file_not_a_table"),
            (workbook([["x" * 32_000] * 400] * 100), "file_too_large"),
            (workbook([]), "file_not_a_table"),
            (good[:400], "file_not_a_table"),
            (good[:-60], "file_not_a_table"),
            (good.replace(b"xl/workbook.xml", b"xl/workbook.yml"), "file_not_a_table"),
            (OLD_FORMAT + "EncryptedPackage".encode("utf-16-le"), "file_encrypted"),
            (b"PK\x03\x04" + b"\0" * 100, "file_not_a_table"),
            (b"\xd0\xcf\x11\xe0" + b"\0" * 4000, "file_not_a_table"),
        ):
            with pytest.raises(Invalid) as refusal:
                await reader.read(world.tenant.id, raw)
            assert refusal.value.code == code, raw[:20]
        csv, dialect = await reader.read(world.tenant.id, good)
        assert (csv, dialect and dialect.source) == (b"email\r\na@example.com\r\n", "workbook")
        assert await reader.read(world.tenant.id, b"email\nx") == (b"email\nx", None)
    finally:
        await reader.close()


async def test_labels_of_both_languages_and_custom_fields_are_known(
    world: World, admin: httpx2.AsyncClient
) -> None:
    await field(world, "size", "choice", choices=["P", "M"], name="Tamanho do uniforme")
    await field(world, "area", name="Área")
    async with world.tx() as tx:
        fields = await custom_fields.list_fields(tx)
    headers = ["NOME *", "e_mail", "Número de registro", "Unidade (nome ou código)", "Cargo", "C.P.F."]
    headers += ["Data de Admissão", "TAMANHO DO UNIFORME", "Área", "Ramal"]
    meanings = ["name", "email", "employee_number", "business_unit", "job_title", "cpf", "hire_date"]
    meanings += ["custom_fields.size", "department"]
    assert columns.guess(headers, fields) == dict(zip(headers, meanings, strict=False))
    answer = await admin.get("/admin/people/import/template?format=xlsx")
    assert answer.headers["content-type"] == XLSX
    header = read(workbook_conversion.convert(answer.content).csv + b"x").headers
    assert {"Tamanho do uniforme", "custom_fields.area"} <= set(header)
    assert set(columns.guess(header, fields)) == set(header)
