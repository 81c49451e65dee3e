"""A course completed in a browser leads to a certificate that anyone can verify, until it is revoked."""

import hashlib
import re
from pathlib import Path

from playwright.async_api import Browser, expect

from browser.chromium import new_context
from browser.flows import Visit
from browser.schools import School, opened
from browser.test_playing_scorm import content
from running import running
from web.player.contents import sco


async def test_a_completed_course_is_certified_verified_and_revoked(
    launched: Browser, tmp_path: Path
) -> None:
    with running(tmp_path, TRILHA_LIMIT_LOGIN="1000/1m") as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        scopes = "users:write,enrollments:write"
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
        (tmp_path / "sco").write_bytes(sco("1.2"))
        course = trilha.command(
            *("course", "import", "--tenant", "acme", "--title", "Altura", "--publish"), str(tmp_path / "sco")
        )
        school = School(trilha, made["key"], {"sco": (course["id"], course["modules"][0]["id"])})
        admin = trilha.command(
            *("admin", "create", "--tenant", "acme", "--name", "Helena", "--email", "helena@example.com")
        )
        learner = await school.learner("sco")
        context = await new_context(launched, "desktop", base_url=trilha.url)
        visit = await opened(learner, context)
        await content(visit).get_by_role("button", name="pass").click()
        await content(visit).get_by_role("button", name="commit").click()
        await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
        # It appears in the learner's list automatically, and the course page links to it.
        await visit.go(learner.path.partition("/modules/")[0])
        await expect(visit.page.get_by_text("Seu certificado está pronto")).to_be_visible(timeout=30_000)
        await visit.go("/learn/certificates")
        async with visit.page.expect_download() as waiting:
            await visit.page.get_by_role("link", name="Baixar PDF").click()
        file = tmp_path / "certificate.pdf"
        await (await waiting.value).save_as(file)
        assert file.read_bytes().startswith(b"%PDF")
        await visit.page.locator("main h2 a").click()
        public = await visit.page.locator("#public").input_value()

        # A different person scans the code and drops the file.
        stranger = await new_context(launched, "phone", base_url=trilha.url)
        page = (await _visit(stranger, trilha.url)).page
        await page.goto(public)
        await expect(page.get_by_role("heading", name="Este certificado é válido")).to_be_visible()
        await expect(page.get_by_text("Ana Lima")).to_be_visible()
        sent: list[str] = []
        page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
        await page.goto("/verify")
        await page.set_input_files("#file", file)
        await page.wait_for_url(re.compile(hashlib.sha256(file.read_bytes()).hexdigest()))
        await expect(page.get_by_text("é idêntico ao que foi emitido")).to_be_visible()
        assert [each for each in sent if not each.startswith("GET ")] == []  # the file was not uploaded

        # The administrator revokes the certificate.
        office = await _visit(await new_context(launched, "desktop", base_url=trilha.url), trilha.url)
        await office.go("/login?tenant=acme")
        await office.send(email="helena@example.com", password=admin["temporary_password"])
        await expect(office.page).not_to_have_url(re.compile("/login$|/login\\?"))
        if "/login/password" in office.page.url:
            chosen = "a password of one's own"
            await office.send(current_password=admin["temporary_password"], new_password=chosen)
        await office.go("/admin/certificates")
        await office.page.get_by_role("link", name="Ana Lima").click()
        await office.page.locator(".pagehead__actions button[popovertarget]").click()
        await office.page.get_by_role("link", name="Revogar").click()
        await office.page.locator("#dialog [name=reason]").fill("Respostas copiadas")
        await office.page.locator("#dialog [name=typed]").fill("Ana Lima")
        await office.page.locator("#dialog .btn--danger").click()
        await office.is_told("O certificado foi revogado.")
        await page.goto(public)
        await expect(page.get_by_role("heading", name="Este certificado foi revogado")).to_be_visible()
        await expect(page.get_by_text("Respostas copiadas")).to_have_count(0)


async def _visit(context: object, address: str) -> Visit:
    return Visit(await context.new_page(), address)  # type: ignore[attr-defined]
