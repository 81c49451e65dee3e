"""cmi5 content in the player, from its import to the certificate, in a frame and in a window of its own."""

from pathlib import Path

import httpx2
import pytest
from playwright.async_api import Browser, Frame, Page, expect

from browser.chromium import new_context
from browser.flows import Visit
from browser.schools import Learner, School, signed_in
from running import Running, running
from training.cmi5.packages import package, unit

VERBS = [
    *("launched", "initialized", "answered", "terminated", "launched", "initialized", "passed"),
    *("satisfied", "terminated"),
]


@pytest.mark.parametrize(("size", "method"), [("desktop", "AnyWindow"), ("phone", "OwnWindow")])
async def test_content_is_left_gone_on_with_and_certified(
    launched: Browser, tmp_path: Path, axe: str, size: str, method: str
) -> None:
    with running(tmp_path, TRILHA_LIMIT_LOGIN="1000/1m") as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        scopes = "users:write,enrollments:read,enrollments:write"
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
        file = tmp_path / "course.zip"
        file.write_bytes(package(unit(1, method)))
        course = trilha.command(
            "course", "import", "--tenant", "acme", "--title", "Altura", "--publish", str(file)
        )
        school = School(trilha, made["key"], {"cmi5": (course["id"], course["modules"][0]["id"])})
        learner = await school.learner("cmi5")
        visit = await signed_in(learner, await new_context(launched, size, base_url=trilha.url))
        content = await _open(visit, learner, method)
        await expect(content.locator("#said")).to_have_text("Normal 0")
        await visit.is_usable(axe)
        for act, last in (("answer", "answered 200"), ("keep", "kept 204")):
            await _press(content, act)
            await expect(content.locator("#last")).to_have_text(last)
        await _leave(visit, learner, content)
        # What the content has kept is there when it is opened again.
        content = await _open(visit, learner, method)
        await expect(content.locator("#said")).to_have_text("Normal 3")
        await _press(content, "pass")
        await expect(content.locator("#last")).to_have_text("passed 200")
        await _leave(visit, learner, content)
        await visit.go(learner.path.partition("/modules/")[0])
        await expect(visit.page.get_by_text("Seu certificado está pronto")).to_be_visible(timeout=30_000)
        # A completed course can be looked at again. Nothing more counts.
        content = await _open(visit, learner, method)
        await expect(content.locator("#said")).to_have_text("Review 3")
        await _press(content, "complete")
        await expect(content.locator("#last")).to_have_text("completed 403")
        verbs, answers = await _read(trilha, made["key"], learner)
        assert [each for each in verbs if each != "satisfied"][:8] == [
            each for each in VERBS if each != "satisfied"
        ]
        assert verbs.count("satisfied") == 1
        assert answers == [("O cinto é obrigatório?", "correct")]


async def _open(visit: Visit, learner: Learner, method: str) -> Page | Frame:
    """Opens the module, and returns its content."""
    await visit.go(learner.path)
    player = await (await visit.page.wait_for_selector("#content")).content_frame()  # type: ignore[union-attr]
    assert player is not None
    if method == "OwnWindow":
        assert await player.locator("iframe").count() == 0
        async with visit.page.context.expect_page() as opening:
            await player.locator("#open").click()
        return await opening.value
    content = await (await player.wait_for_selector("#content")).content_frame()  # type: ignore[union-attr]
    assert content is not None
    return content


async def _press(content: Page | Frame, name: str) -> None:
    await content.get_by_role("button", name=name).click()


async def _leave(visit: Visit, learner: Learner, content: Page | Frame) -> None:
    """Ends the content. It goes to our page, and the learner away from the module."""
    await _press(content, "exit")
    if isinstance(content, Page):
        await content.wait_for_url("**/returned")
        await expect(content.get_by_text("Você saiu do conteúdo")).to_be_visible()
        await content.close()
    await expect(visit.page).not_to_have_url(learner.trilha.url + learner.path)
    await visit.page.wait_for_load_state()


async def _read(trilha: Running, key: str, learner: Learner) -> tuple[list[str], list[tuple[str, str]]]:
    """Returns the verbs of the enrollment's statements, and its answers."""
    headers = {"authorization": f"Bearer {key}"}
    address = f"{trilha.url}/v1/enrollments/{learner.id}"
    async with httpx2.AsyncClient(base_url=address, headers=headers) as http:
        statements = (await http.get("/statements", params={"limit": 100})).json()["data"]
        answers = (await http.get("/interactions")).json()["data"]
    verbs = [each["verb"]["id"].rpartition("/")[2] for each in statements]
    return verbs, [(each["description"], each["result"]) for each in answers]
