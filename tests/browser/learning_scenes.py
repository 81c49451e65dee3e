"""Scenes of learning: packages, modules of every kind, and the people who take, answer and grade them."""

import re
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from PIL import Image, ImageDraw
from playwright.async_api import FilePayload, FrameLocator, Page, expect

import trilha.cli.demo.playable as playable
from browser.visiting import Visitor

_MAIN = "main form .btn--primary"
_ID = "[0-9a-f-]{36}"
_WORD = "anticonstitucionalissimamente"
_TEXT = """## Antes de subir

Confira **cinto**, capacete e ponto de ancoragem. Sem os três, não se sobe.

1. Olhe o cinto: costuras, fivelas, etiqueta.
2. Ajuste o capacete.
3. Prenda-se antes do primeiro degrau.

> Na dúvida, desça e pergunte.

| Altura | O que é preciso |
| --- | --- |
| até 2 m | escada firme |
| acima de 2 m | cinto e ancoragem |
"""


async def packages(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Imports a good and a refused package, from the file to the report."""
    await tab.goto("/admin/packages/new")
    await tab.set_input_files("[name=file]", _file("primeiros-socorros.zip", _package()))
    yield "package-file-chosen"
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile(f"/packages/{_ID}"))
    yield "package-progress"
    await tab.locator("main form[action*='/add']").wait_for()
    yield "package-ready"
    await tab.goto("/admin/packages/new")
    await tab.set_input_files("[name=file]", _file("sem-manifesto.zip", _broken()))
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile(f"/packages/{_ID}"))
    await tab.locator(".findings, .notice").first.wait_for()
    yield "package-refused"
    await tab.goto("/admin/packages")
    yield "packages-of-every-state"


async def authoring(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Creates a course from its first page on. Then its author takes it, and grades a voice answer."""
    await tab.goto("/admin/courses/new")
    await tab.fill("[name=title]", "Trabalho em altura")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile(f"/courses/{_ID}$"))
    course = tab.url
    yield "course-empty"
    await _add_article(tab, course)
    yield "article-images"
    await tab.goto(f"{tab.url}/preview")
    await _content(tab).locator("article, main").first.wait_for()
    yield "preview-article"
    await _add_quiz(tab, course)
    await tab.goto(course)
    yield "course-draft"
    await tab.locator("form[action$='/publish'] button").click()
    enrollment = await _enroll_oneself(tab, visitor, course)
    place = enrollment.replace("/learn/", "/admin/")
    await tab.goto(enrollment)
    yield "course-to-begin"
    async for name in _study(tab, enrollment):
        yield name
    await tab.goto("/admin/answers")
    yield "answers-waiting"
    await tab.locator("tbody .table__link").first.click()
    await tab.locator("audio").wait_for()
    yield "answer-to-grade"
    await tab.goto(f"{place}/launches")
    yield "launches"


async def _translate_questions(tab: Page, course: str) -> AsyncIterator[str]:
    """Translates the first question of a quiz; the page then asks for the next one."""
    await _add_quiz(tab, course)
    module = tab.url.partition("/modules/")[2].partition("/")[0]
    questions = f"{course}/languages/es/modules/{module}/questions"
    await tab.goto(questions)
    yield "translated-questions"
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_url(f"{questions}/**")
    yield "translated-question"
    await tab.fill("#text", "¿Desde qué altura?")
    choices = tab.locator("[name=choice_text]")
    if await choices.count():
        await tab.locator(_MAIN).click()  # choices without a translation are refused
        await expect(tab.locator(".summary")).to_be_visible()
        yield "translated-question-refused"
        for choice in await choices.all():
            await choice.fill("Dos metros")
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    await tab.goto(questions)
    yield "translated-questions-some"


async def translating(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Translates a course. Then its author takes it in the other language."""
    await tab.goto("/admin/courses/new")
    await tab.fill("[name=title]", f"Trabalho em altura {_WORD}")
    await tab.fill("[name=description]", "Planejar, ancorar e subir.")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile(f"/courses/{_ID}$"))
    course = tab.url
    await _add_article(tab, course)
    await tab.goto(course)
    await tab.select_option("#new-language", "es")
    await tab.locator("form[action$='/languages'] button").click()
    await tab.wait_for_url("**/languages/es")
    yield "translation-empty"
    await tab.fill("#title", "Trabajo en altura")
    await tab.locator("[name=module_title]").first.fill("Antes de subir a la escalera")
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "translation"
    await tab.locator("#form ol a").first.click()
    await tab.wait_for_url("**/languages/es/modules/**")
    yield "translation-lesson"
    await tab.goto(f"{course}/languages/es/remove")
    yield "translation-remove"
    async for name in _translate_questions(tab, course):
        yield name
    await tab.goto(course)
    yield "course-in-languages"
    await tab.goto(f"{course}/preview?language=es")
    yield "course-preview-in-language"
    await tab.goto(course)
    await tab.locator("form[action$='/publish'] button").click()
    enrollment = await _enroll_oneself(tab, visitor, course)
    await tab.goto(enrollment)
    await tab.select_option("#language", "es")
    await tab.locator("form[action$='/language'] button").click()
    await tab.wait_for_load_state()
    yield "course-in-spanish"
    await tab.locator(".modules__title a").first.click()
    await _content(tab).locator("article").first.wait_for()
    yield "player-in-spanish"


async def _enroll_oneself(tab: Page, visitor: Visitor, course: str) -> str:
    """Returns the path of the learner's page of the course."""
    await tab.goto("/admin/enrollments/many/emails")
    choice = tab.locator("[name=course_id]")
    await choice.select_option(value=course.rpartition("/")[2], force=True)
    assert visitor.role
    await tab.fill("[name=emails]", visitor.company.emails[visitor.role])
    await tab.locator(_MAIN).click()
    await tab.goto(f"/admin/enrollments?course={course.rpartition('/')[2]}")
    place = await tab.locator("tbody .table__link").first.get_attribute("href")
    assert place
    return f"/learn{place.removeprefix('/admin')}"


async def playing(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Plays a package, shows the result, and a module that the person has not asked for."""
    course, module = await _playable(tab)
    yield "playable-course"
    await visitor.context.set_extra_http_headers({"purpose": "prefetch"})
    await tab.goto(module)
    yield "player-unasked"
    await visitor.context.set_extra_http_headers({})
    inside = await _opened(tab, module)
    yield "player-package"
    await visitor.context.set_offline(True)
    await inside.locator("button:visible").last.click()
    await expect(tab.locator(".player__told .notice")).to_be_visible(timeout=60_000)
    yield "player-offline"
    await visitor.context.set_offline(False)
    await tab.goto(f"{course}/results")
    yield "results"


async def studying_offline(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Downloads a course's modules, and shows the pages without a connection."""
    await tab.goto("/learn")
    course = await tab.locator("main a[href*='/learn/enrollments/']").first.get_attribute("href")
    assert course
    await tab.goto(f"{course}/offline")
    await tab.locator("offline-modules[data-ready]").wait_for()
    yield "offline-modules"
    saving = tab.locator("[data-save]:visible")
    if await saving.count():
        await saving.first.click()
        await tab.locator("[data-state=saved]").first.wait_for()
    yield "offline-downloaded"
    await tab.goto(course)
    await visitor.context.set_offline(True)
    await tab.goto(course)
    await tab.locator(".strip--offline").wait_for()
    yield "offline-course"
    await tab.goto("/learn/certificates")
    await tab.locator("[data-offline-page]").wait_for()
    yield "offline-page"
    await visitor.context.set_offline(False)
    # The page loads by itself what was asked for, once there is a connection.
    await tab.locator("[data-offline-page]").wait_for(state="detached")
    await tab.wait_for_load_state()


async def tracing(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Shows the SCORM calls of a launch to an administrator."""
    course, module = await _playable(tab)
    inside = await _opened(tab, module)
    await inside.locator("button:visible").last.click()
    await expect(tab.locator("#saved")).to_have_attribute("data-state", "saved")
    await tab.locator("[data-exit]").click()
    await tab.wait_for_url(course)
    await tab.goto(f"/admin{course.partition('/learn')[2]}/launches")
    yield "launches-of-a-package"
    await tab.locator("main a[href*='/launches/']").first.click()
    await tab.wait_for_url(re.compile("/launches/"))
    yield "launch-trace"


async def _playable(tab: Page) -> tuple[str, str]:
    """Returns the addresses of the demo's playable course and of its module."""
    await tab.goto("/learn")
    await tab.locator("main a", has_text="Primeiros socorros").first.click()
    await tab.wait_for_url(re.compile(f"/enrollments/{_ID}$"))
    # Not the link that continues the course, because the person may have opened something else.
    module = await tab.locator("main .modules a").first.get_attribute("href")
    assert module
    return tab.url, module


async def _opened(tab: Page, module: str) -> FrameLocator:
    await tab.goto(module)
    inside = _content(tab).frame_locator("#sco")
    await inside.locator("button:visible").first.wait_for()
    return inside


def _content(tab: Page) -> FrameLocator:
    return tab.frame_locator("#content")


async def _add_article(tab: Page, course: str) -> None:
    """Adds an article, and an image to it in the editor."""
    await tab.goto(f"{course}/modules/new/article")
    await tab.fill("[name=title]", "Antes de subir")
    await tab.fill("[name=duration_minutes]", "10")
    await tab.fill("[name=body]", _TEXT)
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile(f"/modules/{_ID}$"))
    module = tab.url
    async with tab.expect_file_chooser() as chooser:
        await tab.locator("[data-command=image]").click()
    await (await chooser.value).set_files(_file("andaime.png", _picture(), "image/png"))
    await tab.locator("dialog[open] [name=alt]").fill("Um andaime com guarda-corpo")
    await tab.locator("dialog[open] .btn--primary").click()
    await tab.locator("#module-form .btn--primary").click()
    await tab.wait_for_url(course)
    await tab.goto(module)


async def _add_quiz(tab: Page, course: str) -> None:
    await tab.goto(f"{course}/modules/new/quiz")
    await tab.fill("[name=title]", "Prova final")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/quiz")
    quiz = tab.url
    await tab.goto(f"{quiz}/questions/new/single")
    await tab.fill("[name=text]", "O que se confere antes de subir?")
    await tab.fill("#choice-0", "O cinto e o ponto de ancoragem")
    await tab.fill("#choice-1", "A previsão do tempo de amanhã")
    await tab.locator("[name=right]").first.check()
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(quiz)
    await tab.goto(f"{quiz}/questions/new/voice")
    await tab.fill("[name=text]", "Conte como você confere o cinto.")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/quiz")


async def _study(tab: Page, enrollment: str) -> AsyncIterator[str]:
    """Opens the article and the quiz as a learner."""
    await tab.locator("main .modules a").first.click()
    await _content(tab).locator("img").first.wait_for()
    yield "player-article"
    await tab.goto(enrollment)
    await tab.locator("main .modules a").last.click()
    quiz = _content(tab)
    await quiz.locator("#quiz[data-ready]").wait_for()
    yield "player-quiz"
    await quiz.locator("input[type=radio]").first.check()
    await quiz.locator("[data-step='1']").click()
    await quiz.locator("[data-file]").set_input_files(_file("voz.wav", _wav(), "audio/wav"))
    await quiz.locator("[data-voice][data-state=kept]").wait_for()
    yield "player-quiz-voice"
    await quiz.locator("[data-hand-in]:visible").click()
    await quiz.locator("#confirm[open]").wait_for()
    yield "player-quiz-hand-in"
    await quiz.locator("[data-confirm]").click()
    await quiz.locator(".quiz__verdict").wait_for()
    yield "player-quiz-result"
    await tab.goto(enrollment)
    yield "course-awaiting-a-grade"
    await tab.goto(f"{enrollment}/results")
    yield "results-of-a-quiz"


def _file(name: str, content: bytes, media_type: str = "application/zip") -> FilePayload:
    return {"name": name, "mimeType": media_type, "buffer": content}


def _package() -> bytes:
    """Returns the demo's package."""
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for each in sorted((Path(playable.__file__).parent / "first_aid").iterdir()):
            archive.write(each, each.name)
    return out.getvalue()


def _broken() -> bytes:
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        archive.writestr("index.html", "<title>Sem manifesto</title>")
    return out.getvalue()


def _picture() -> bytes:
    image = Image.new("RGB", (1200, 675), "#dbe7ea")
    draw = ImageDraw.Draw(image)
    for x in range(120, 1200, 240):
        draw.line([(x, 80), (x, 675)], fill="#0b6677", width=14)
    for y in range(140, 675, 170):
        draw.line([(60, y), (1140, y)], fill="#b3541e", width=12)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _wav() -> bytes:
    """Returns a second of silence."""
    samples = b"\x80" * 8000
    head = b"RIFF" + (36 + len(samples)).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
    form = b"\x01\x00\x01\x00" + (8000).to_bytes(4, "little") * 2 + b"\x01\x00\x08\x00"
    return head + form + b"data" + len(samples).to_bytes(4, "little") + samples
