"""/admin/inspection and the pedagogic project of a course."""

import hashlib

from conftest import World
from web.panel.training_pages import browsing, send


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
