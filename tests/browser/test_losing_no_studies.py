"""The work that was shown as saved is saved, also for quizzes, videos and packages with sequencing rules,
when the server is killed.

`test_losing_nothing` does the same for the state of content.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import httpx2
import pytest
from playwright.async_api import Browser, BrowserContext, Locator, expect

import media_files
from browser.chromium import new_context
from browser.flows import Visit
from browser.schools import Learner, School, kill_all, opened
from browser.test_keeping_state import is_told
from browser.test_playing_scorm import content
from running import running
from web.player.contents import sequenced

STUDIES = """
title: Estudos
slug: estudos
modules:
  - title: Prova
    type: QUIZ
    duration_minutes: 1
    questions:
      - {kind: true_false, text: Água apaga fogo elétrico?, right: false}
      - {kind: true_false, text: O triângulo vai longe?, right: true}
  - {title: Filme, type: VIDEO, file: film.webm, duration_minutes: 1}
"""
pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    folder = tmp_path_factory.mktemp("school")
    (folder / "film.webm").write_bytes(media_files.webm(20))
    (folder / "course.yaml").write_text(STUDIES)
    (folder / "rules.zip").write_bytes(sequenced())
    with running(folder, TRILHA_LIMIT_LOGIN="1000/1m") as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        scopes = "users:write,enrollments:write,courses:read"
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
        file = ("--file", str(folder / "course.yaml"), "--publish")
        studies = trilha.command("course", "create", "--tenant", "acme", *file)
        title = ("--title", "Regras", "--publish", str(folder / "rules.zip"))
        rules = trilha.command("course", "import", "--tenant", "acme", *title)
        listed = httpx2.get(
            f"{trilha.url}/v1/courses/{studies['id']}/modules",
            headers={"authorization": f"Bearer {made['key']}"},
        )
        quiz, film = (each["id"] for each in listed.json()["data"])
        courses = {"quiz": (studies["id"], quiz), "film": (studies["id"], film)}
        for n, module in enumerate(rules["modules"]):
            courses[f"part {n + 1}"] = (rules["id"], module["id"])
        yield School(trilha, made["key"], courses)


@pytest.fixture
async def device(launched: Browser, school: School) -> AsyncIterator[BrowserContext]:
    async with await new_context(launched, "desktop", base_url=school.trilha.url) as context:
        yield context


async def killed(visit: Visit, learner: Learner) -> None:
    await asyncio.to_thread(kill_all, learner.trilha)


async def offline(visit: Visit, learner: Learner) -> None:
    await visit.page.context.set_offline(True)


End = Callable[[Visit, Learner], Awaitable[None]]
ENDS = pytest.mark.parametrize("end", [killed, offline])


async def is_saved(visit: Visit) -> None:
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved", timeout=60_000)


async def chosen(visit: Visit, answer: str) -> Locator:
    frame = visit.page.frame_locator("#content")
    await expect(frame.locator("#quiz[data-ready]")).to_be_attached()
    await frame.locator(".quiz__question:visible").get_by_text(answer).click()
    return frame.locator("[data-answered]")


@ENDS
async def test_answers_of_a_quiz(school: School, device: BrowserContext, end: End) -> None:
    learner = await school.learner("quiz")
    visit = await opened(learner, device)
    await chosen(visit, "Falso")
    await is_saved(visit)
    await end(visit, learner)
    frame = visit.page.frame_locator("#content")
    await frame.locator("[data-step='1']").click()
    await chosen(visit, "Verdadeiro")
    if end is offline:
        await is_told(visit.page, "unsaved")
        await device.set_offline(False)
    await is_saved(visit)
    await visit.page.reload()
    await expect(frame.locator("#quiz[data-ready]")).to_be_attached()
    await expect(frame.locator("[data-answered]")).to_have_count(2)


async def watched(visit: Visit, until: float) -> None:
    picture = visit.page.frame_locator("#content").locator("#video")
    await expect(picture).to_have_js_property("readyState", 4)
    await picture.evaluate(
        """(video, until) => new Promise((done) => {
            video.muted = true;
            video.play();
            const look = () => video.currentTime >= until ? (video.pause(), done()) : setTimeout(look, 50);
            look();
        })""",
        until,
    )


@ENDS
async def test_what_was_watched_of_a_video(school: School, device: BrowserContext, end: End) -> None:
    learner = await school.learner("film")
    visit = await opened(learner, device)
    await watched(visit, 3)
    await is_saved(visit)
    before = await learner.watched()
    assert 2 < before < 6
    await end(visit, learner)
    await watched(visit, 6)
    if end is offline:
        await is_told(visit.page, "unsaved")
        await device.set_offline(False)
    await is_saved(visit)
    after = await learner.watched()
    assert after > before + 2
    await visit.page.reload()
    await expect(visit.page.frame_locator("#content").locator("#video")).to_have_js_property("readyState", 4)
    assert await learner.watched() >= after


async def test_the_state_of_rules(school: School, device: BrowserContext) -> None:
    """The test is passed. After the server was killed, the rules still skip the lesson."""
    learner = await school.learner("part 1")
    visit = await opened(learner, device)
    await content(visit).get_by_role("button", name="pass").click()
    await content(visit).get_by_role("button", name="commit").click()
    await is_saved(visit)
    await killed(visit, learner)
    await visit.page.reload()
    await content(visit).locator("#said").wait_for()
    await content(visit).get_by_role("button", name="next").click()
    end = school.courses["part 3"][1]
    await visit.is_at(f"{learner.path.rpartition('/')[0]}/{end}")
