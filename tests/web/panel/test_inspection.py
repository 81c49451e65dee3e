"""/admin/inspection and the pedagogic project of a course."""

import csv
import hashlib
import io
import zipfile

import httpx2

from conftest import World
from training.practice.practices import offer as offer_practice
from trilha.settings import Settings
from trilha.training.reports.exports.jobs import MakeExports
from web.panel.signing_in import browser_of
from web.panel.signing_in import send as post
from web.panel.test_attendance_pages import DRAWING, held
from web.panel.training_pages import browsing, send


async def _download(
    world: World, admin: httpx2.AsyncClient, settings: Settings, **scope: str
) -> zipfile.ZipFile:
    asked = await send(admin, "/admin/inspection/bundle", **scope)
    assert asked.status_code == 303, asked.text
    page = asked.headers["location"]
    assert "/admin/reports/files/" in page
    job = MakeExports(settings.open_files(), settings.scratch)
    assert await job.run_next(world.database, world.tenant.id) == 1
    await job.close()
    shown = (await admin.get(page)).text
    assert "Download file" in shown, shown
    assert "Papers for inspectors (ZIP)" in shown
    found = await admin.get(f"{page}/download")
    answer = await admin.get(found.headers["location"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    return zipfile.ZipFile(io.BytesIO(answer.content))


def _read_table(bundle: zipfile.ZipFile, name: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(bundle.read(name).decode("utf-8-sig"))))


async def test_everything_of_a_class_is_one_file(world: World, stranger: World, settings: Settings) -> None:
    session = await held(world, "Ana Lima", "=Bruno/Souza")
    admin = await browsing(world)
    person = await browser_of(world, session.people[0])
    assert (
        await post(person, f"/learn/sessions/{session.id}/signature", signature=DRAWING)
    ).status_code == 303
    scan = b"%PDF-1.7 a list"
    uploaded = await send(
        admin, f"{session.path}/scans", files={"file": ("lista.pdf", scan, "application/pdf")}
    )
    assert uploaded.status_code == 303
    class_id = session.made["id"]
    page = (await admin.get(f"/admin/inspection?class_id={class_id}")).text
    assert "Create ZIP file" in page
    bundle = await _download(world, admin, settings, class_id=class_id)
    names = bundle.namelist()
    assert not [each for each in names if each.startswith("/") or ".." in each]
    lines = {each[0]: each for each in _read_table(bundle, "index.csv")[1:]}
    assert set(names) == {*lines, "index.csv"}
    for name, line in lines.items():
        content = bundle.read(name)
        assert (line[3], line[4]) == (hashlib.sha256(content).hexdigest(), str(len(content))), name
    (kept,) = [each for each in names if each.startswith("attendance/scans/")]
    assert bundle.read(kept) == scan
    (drawn,) = [each for each in names if each.startswith("attendance/signatures/Ana Lima")]
    assert bundle.read(drawn).startswith(b"<svg")
    (printed,) = [each for each in names if each.startswith("attendance/2") and each.endswith(".pdf")]
    assert bundle.read(printed).startswith(b"%PDF")
    attended = _read_table(bundle, "attendance.csv")
    assert [each[3] for each in attended[1:]] == ["'=Bruno/Souza", "Ana Lima"]
    async with world.tx() as tx:
        audited = await tx.value(
            "SELECT detail FROM audit_records WHERE tenant_id = :tenant AND action = 'export.requested'"
        )
    assert audited["class_id"] == class_id
    other = await browsing(stranger)
    for path in (f"/admin/inspection?class_id={class_id}", f"/admin/inspection/scans?class_id={class_id}"):
        assert (await other.get(path)).status_code == 404
    assert (await send(other, "/admin/inspection/bundle", class_id=class_id)).status_code == 404
    assert (await send(admin, "/admin/inspection/bundle")).headers["location"] == "/admin/inspection"
    listed = (await admin.get(f"/admin/inspection/scans?course={session.made['course_id']}")).text
    assert f"{session.path}/scans" in listed
    for role in ("gestor", "instrutor"):
        client = await browsing(world, role)
        assert (await client.get("/admin/inspection/scans")).status_code == 403
        assert (await send(client, "/admin/inspection/bundle", class_id=class_id)).status_code == 403


async def test_checklists_qualifications_and_projects_of_a_person(world: World, settings: Settings) -> None:
    practice = await offer_practice(world)
    enrollment = await practice.enroll(name="Ana Lima")
    recorded = await practice.record(enrollment, "SATISFACTORY", "SATISFACTORY")
    assert (await practice.sign(recorded.json()["data"]["id"])).status_code == 303
    admin = practice.assessor
    project = f"/admin/courses/{practice.course_id}/project"
    assert (await send(admin, project, objectives="Altura.", responsible_name="Paula")).status_code == 303
    assert (await send(admin, f"{project}/publish")).status_code == 303
    bundle = await _download(world, admin, settings, user=str(enrollment["user_id"]))
    items = _read_table(bundle, "checklists.csv")
    assert [each[12] for each in items[1:]] == ["Inspeciona o cinto", "Conecta o talabarte"]
    assert items[1][8:11] == ["Instrutor de NR-35", "CREA-SP", "5069"]
    assert items[1][14] == "SATISFACTORY"
    assert [each[1] for each in _read_table(bundle, "qualifications.csv")[1:]] == ["Instrutor de NR-35"]
    assert [each for each in bundle.namelist() if each.startswith("checklists/signatures/")]
    (version,) = [each for each in bundle.namelist() if each.startswith("pedagogic projects/")]
    assert bundle.read(version)[:8] == b"%PDF-1.4"


async def test_a_project_is_written_and_published_in_versions(world: World, stranger: World) -> None:
    admin = await browsing(world)
    course = await world.course(title="NR-35")
    here = f"/admin/courses/{course}/project"
    assert (await admin.get(here)).status_code == 200
    refused = await send(admin, f"{here}/publish")
    assert (refused.status_code, "Enter the objectives" in refused.text) == (422, True)
    written = {"objectives": "Trabalhar em altura.", "responsible_name": "Paula Prado"}
    assert (await send(admin, here, **written)).status_code == 303
    for number in (1, 2):
        assert (await send(admin, f"{here}/publish")).status_code == 303
        pdf = await admin.get(f"{here}/{number}/pdf")
        assert (pdf.status_code, pdf.content[:8]) == (200, b"%PDF-1.4")
        page = (await admin.get(here)).text
        assert hashlib.sha256(pdf.content).hexdigest() in page
    assert (await admin.get(f"{here}/3/pdf")).status_code == 404
    other = await browsing(stranger)
    for path in (here, f"{here}/1/pdf"):
        assert (await other.get(path)).status_code == 404
    assert (await send(other, f"{here}/publish")).status_code == 404
    manager = await browsing(world, "gestor")
    assert (await manager.get(here)).status_code == 403


async def test_an_inspector_is_led_to_each_paper(world: World, stranger: World) -> None:
    admin = await browsing(world)
    course = await world.course(title="NR-35")
    user = (await world.user(name="Ana Lima"))["id"]
    for query in ("", f"?course={course}", f"?user={user}", "?since=2026-01-01&until=2026-12-31"):
        page = await admin.get(f"/admin/inspection{query}")
        assert page.status_code == 200
        assert "Pedagogic projects" in page.text
    assert "Ana Lima" in (await admin.get(f"/admin/inspection?user={user}")).text
    assert f"/admin/courses/{course}/project" in (await admin.get(f"/admin/inspection?course={course}")).text
    other = await browsing(stranger)
    for query in (f"?course={course}", f"?user={user}"):
        assert (await other.get(f"/admin/inspection{query}")).status_code == 404
    for role in ("gestor", "instrutor"):
        assert (await (await browsing(world, role)).get("/admin/inspection")).status_code == 403
