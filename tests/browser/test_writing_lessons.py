"""The block editor in Chromium: a draft outlives a killed browser, a second author is told, and hostile
lessons run nothing.
"""

import asyncio
import io
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PIL import Image
from playwright.async_api import Dialog, Locator, Page, expect

from browser.chromium import with_profile
from browser.flows import Entering, Visit, Visits, enter_as
from browser.schools import kill_browser
from conftest import World
from training.courses.documents import doc
from training.courses.test_lesson_xss import FILE, PAYLOADS, list_documents
from trilha.settings import Settings
from trilha.training.courses import module_queries
from trilha.training.courses.lessons import actions
from trilha.training.courses.lessons.process import convert, convert_markdown
from trilha.training.courses.lessons.rules import InvalidDocument
from web.panel.authoring import modules
from web.panel.signing_in import browser_of, made
from web.player.materials import image

# Hostile blocks are put into lessons of this size, because a page must stay quick enough to open.
_BLOCKS = 800
# What a person could do on the page: open and focus everything, and move the pointer over it.
_TOUCH = """() => {
    for (const each of document.querySelectorAll("details")) each.open = true;
    for (const each of document.querySelectorAll("*")) {
        each.focus?.();
        for (const name of ["pointerover", "mouseover", "animationstart", "toggle", "focus"])
            each.dispatchEvent(new Event(name, {bubbles: true}));
    }
    return window.hacked ?? null;
}"""


async def add_lesson(world: World, body: str = "Antes") -> tuple[UUID, UUID]:
    course_id = await world.course(
        publish=False, modules=[{"title": "A", "duration_minutes": 1, "body": body}]
    )
    (module,) = await modules(world, course_id)
    return course_id, module.id


def path(lesson: tuple[UUID, UUID]) -> str:
    return "/admin/courses/{}/modules/{}".format(*lesson)


def text_of(page: Page) -> Locator:
    return page.locator("#lesson-area .lessontext")


async def is_kept(page: Page) -> None:
    await expect(page.locator("#lesson-status")).to_contain_text("Rascunho salvo")


async def publish(visit: Visit) -> None:
    await visit.press("Publicar alterações")


async def test_a_draft_outlives_a_killed_browser(world: World, address: str, tmp_path: Path) -> None:
    lesson = await add_lesson(world)
    author = await made(world, "admin")
    client = await browser_of(world, author, "pt-BR")
    cookies: Any = [{"name": each.name, "value": each.value, "url": address} for each in client.cookies.jar]
    await client.aclose()
    async with with_profile(tmp_path) as context:
        await context.add_cookies(cookies)
        visit = Visit(await context.new_page(), address)
        await visit.go(path(lesson))
        await text_of(visit.page).press("Control+End")
        await visit.page.keyboard.type(" e depois")
        await is_kept(visit.page)
        await asyncio.to_thread(kill_browser, tmp_path)
    async with with_profile(tmp_path) as context:
        await context.add_cookies(cookies)
        visit = Visit(await context.new_page(), address)
        await visit.go(path(lesson))
        await expect(text_of(visit.page)).to_have_text("Antes e depois")
        async with world.tx() as tx:
            assert (await module_queries.get(tx, *lesson)).body == "Antes"
        await publish(visit)
        await visit.is_told("O módulo foi salvo.")
    async with world.tx() as tx:
        assert (await module_queries.get(tx, *lesson)).body == "Antes e depois\n"


async def test_the_second_of_two_authors_is_told_and_chooses(world: World, entered: Entering) -> None:
    lesson = await add_lesson(world)
    ana = await entered("admin", name="Ana Prado")
    rui = await entered("admin", name="Rui Prado")
    await ana.go(path(lesson))
    await rui.go(path(lesson))
    for visit, words in ((ana, " da Ana"), (rui, " do Rui")):
        await text_of(visit.page).press("Control+End")
        await visit.page.keyboard.type(words)
        await is_kept(visit.page)
    await publish(ana)
    await ana.is_told("O módulo foi salvo.")
    await publish(rui)
    await expect(rui.page.get_by_text("Outra pessoa publicou alterações nesta aula").first).to_be_visible()
    await expect(rui.page.get_by_text("de Ana Prado")).to_be_visible()
    await expect(text_of(rui.page)).to_have_text("Antes do Rui")
    await rui.follow("Comparar essa versão com o meu rascunho")
    await expect(rui.page.locator("main del")).to_have_text(["da", "Ana"])
    await expect(rui.page.locator("main ins")).to_have_text(["do", "Rui"])
    await rui.go(path(lesson))
    await expect(text_of(rui.page)).to_have_text("Antes do Rui")
    await rui.page.get_by_label("Substituir essa versão pela minha ao publicar").check()
    await publish(rui)
    await rui.is_told("O módulo foi salvo.")
    async with world.tx() as tx:
        assert (await module_queries.get(tx, *lesson)).body == "Antes do Rui\n"


def list_hostile_blocks(picture: UUID) -> list[dict[str, Any]]:
    """Returns the blocks of all hostile documents that the rules accept. They show `picture`."""
    blocks: list[dict[str, Any]] = []
    for payload in PAYLOADS:
        documents = [*list_documents(payload)]
        for document in json.loads(json.dumps(documents).replace(FILE, str(picture))):
            try:
                lesson = convert(document)
            except InvalidDocument:
                continue
            if all(use.kind == "image" for use in lesson.files):
                blocks += lesson.document["content"]
    return blocks


def hear_dialogs(visit: Visit) -> list[str]:
    """Returns the list of dialogs that scripts open. The player asks before it is left, and is left."""
    opened: list[str] = []

    async def close(dialog: Dialog) -> None:
        if dialog.type != "beforeunload":
            opened.append(dialog.message)
        await dialog.accept()

    visit.page.on("dialog", close)
    return opened


async def look(visit: Visit, address: str) -> None:
    """Opens a page, touches everything on it, and checks that nothing ran."""
    await visit.go(address)
    await visit.page.wait_for_load_state("networkidle")
    assert [await frame.evaluate(_TOUCH) for frame in visit.page.frames] == [None] * len(visit.page.frames)


@pytest.mark.parametrize("part", range(4))
async def test_hostile_lessons_run_nothing(
    world: World, settings: Settings, visits: Visits, part: int
) -> None:
    """A learner reads them, and an author edits them. Pages also fail the test if they log an error, such as
    a script that the content security policy stopped.
    """
    content = io.BytesIO()
    Image.new("RGB", (8, 8)).save(content, "WEBP")
    picture = await image(world, settings, content.getvalue())
    blocks = list_hostile_blocks(picture)[part::4]
    assert len(blocks) > 1000
    lessons = [convert(doc(*blocks[at : at + _BLOCKS])) for at in range(0, len(blocks), _BLOCKS)]
    lessons.append(convert_markdown("\n\n".join(each for each in PAYLOADS[part::4] if FILE not in each)))
    course_id = await world.course(
        modules=[{"title": str(n), "duration_minutes": 1, "body": "Antes"} for n in range(len(lessons))]
    )
    learner, author = await made(world, "learner"), await made(world, "admin")
    enrollment = await world.enrollment(course_id=course_id, user_id=str(learner.id))
    reading, writing = await enter_as(world, visits, learner), await enter_as(world, visits, author)
    dialogs = [hear_dialogs(reading), hear_dialogs(writing)]
    for module, lesson in zip(await modules(world, course_id), lessons, strict=True):
        async with world.tx() as tx:
            await actions.publish(tx, course_id, module.id, lesson, base=0, author_id=None)
        await look(reading, f"/learn/enrollments/{enrollment['id']}/modules/{module.id}")
        await expect(reading.page.frame_locator("#content").locator("article")).not_to_be_empty()
        await look(writing, path((course_id, module.id)))
        await expect(text_of(writing.page)).not_to_be_empty()
    assert dialogs == [[], []]
