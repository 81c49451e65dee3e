"""Learners' pages without a connection: what was opened or downloaded opens, and work there is sent later."""

import re
from typing import Any

import pytest
from playwright.async_api import Error, Frame, FrameLocator, Page, expect

import media_files
from browser.flows import Visit, Visits, enter_as
from browser.test_keeping_state import said_nothing_else
from conftest import World
from training.learning.learners import Learner
from training.learning.quiz_takers import RIGHT_OR_NOT, VOICE, quiz_learner
from trilha.settings import Settings
from web.panel.signing_in import made
from web.player.contents import sco
from web.player.materials import document, stored, taking, video
from web.player.playing import enrolled, taught

TEXT = "\n\n".join(f"Parágrafo {n}: " + "palavra " * 6 for n in range(40))
ARTICLE = {"type": "ARTICLE", "body": TEXT}
_PAGES = """() => navigator.serviceWorker.ready.then(() => caches.keys())
  .then((all) => all.some((each) => each.startsWith("trilha.pages.")))
"""
_NOTHING_SAVED = "() => caches.keys().then((all) => !all.some((each) => each.startsWith('trilha.pages.')))"
_NOTHING_UNSENT = "() => !Object.keys(localStorage).some((key) => key.startsWith('trilha.unsent'))"
_SAVED = """() => caches.keys().then(async (names) => {
  for (const name of names) {
    if (!name.startsWith("trilha.saved.")) continue;
    const cache = await caches.open(name);
    const index = await (await cache.match("/saved.json"))?.json();
    const path = location.pathname.replace(/\\/$/, "");
    if (Object.values(index ?? {}).some((each) => each.path === path)) return true;
  }
  return false;
})"""


async def until(target: Page | Frame, test: str) -> None:
    """Waits until an asynchronous function of the page returns true, even if the page is loaded anew."""
    look = f"""() => new Promise((done) => {{
        const look = async () => ((await ({test})()) ? done() : setTimeout(look, 50));
        look();
    }})"""
    while True:
        try:
            await target.evaluate(look)
            return
        except Error as error:
            if "context was destroyed" not in str(error):
                raise


def content(visit: Visit) -> FrameLocator:
    return visit.page.frame_locator("#content")


def frame_of(visit: Visit) -> Frame:
    return next(each for each in visit.page.frames if "/l/" in each.url)


def path(learner: Learner, module: int | None = None) -> str:
    course = f"/learn/enrollments/{learner.id}"
    return course if module is None else f"{course}/modules/{learner.modules[module]}"


async def saved_pages(visit: Visit) -> None:
    await until(visit.page, _PAGES)


async def saved_module(visit: Visit) -> None:
    """Waits until an open module is saved."""
    await content(visit).locator("#told, #quiz[data-ready]").first.wait_for(state="attached")
    await until(frame_of(visit), _SAVED)


async def entered(world: World, visits: Visits, user: Any) -> Visit:
    """Opens the home page, so that the service worker controls the following ones."""
    visit = await enter_as(world, visits, user)
    await visit.go("/learn")
    await until(visit.page, _PAGES)
    return visit


async def opened_once(visit: Visit, learner: Learner, module: int = 0) -> None:
    """Opens a module, waits until it is saved, and leaves it."""
    await visit.go(path(learner))
    await visit.go(path(learner, module))
    await saved_module(visit)
    await visit.page.locator("[data-exit]").click()
    await visit.is_at(path(learner))
    # The course's page sends what the module could not.
    await until(visit.page, _NOTHING_UNSENT)


async def is_unsaved(visit: Visit) -> None:
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "unsaved")


async def offline(world: World, visit: Visit) -> None:
    """Turns the network off for half an hour. `set_offline` does not stop what a closing page sends, but the
    launch is over then.
    """
    await visit.page.context.set_offline(True)
    world.clock.move(minutes=30)


async def back_online(visit: Visit) -> None:
    """Turns the network on. No page is there that would load itself anew."""
    await visit.page.goto("about:blank")
    await visit.page.context.set_offline(False)


async def read_on(visit: Visit) -> None:
    """Reads an article for two seconds without a connection."""
    await content(visit).get_by_text("Parágrafo 39").scroll_into_view_if_needed()
    await is_unsaved(visit)
    await content(visit).locator("body").evaluate("() => new Promise((done) => setTimeout(done, 2000))")


async def leave(visit: Visit) -> None:
    """Leaves a module although its work is not sent."""
    await visit.page.locator("[data-exit]").click()
    await visit.page.get_by_role("link", name="Sair do módulo").click()
    await expect(visit.page.locator("course-player")).to_have_count(0)


async def answer(visit: Visit, count: int, text: str = "Verdadeiro") -> None:
    """Answers the next questions of a quiz."""
    frame = content(visit)
    for _ in range(count):
        await frame.locator(".quiz__question:visible").get_by_text(text).click()
        if await frame.locator("[data-step='1']").is_enabled():
            await frame.locator("[data-step='1']").click()


async def names_of_caches(visit: Visit) -> list[str]:
    found: list[str] = await visit.page.evaluate("caches.keys()")
    return [each for each in found if each.startswith("trilha.pages.")]


async def test_pages_are_shown_as_they_were(world: World, visits: Visits, axe: str) -> None:
    user = await made(world, "learner")
    ana = await taking(world, user, ARTICLE)
    visit = await entered(world, visits, user)
    await visit.go(path(ana))
    await offline(world, visit)
    await visit.go("/learn")
    strip = visit.page.locator(".strip--offline")
    await expect(strip).to_have_text(re.compile(r"Sem conexão: mostrando o que foi salvo às\s+\d\d:\d\d"))
    await visit.go(path(ana))
    await expect(visit.page.locator(".modules")).to_contain_text("M0")
    await visit.go("/learn/certificates")
    await visit.is_titled("O que funciona sem conexão")
    await expect(visit.page.locator("saved-courses a")).to_have_count(1)
    await visit.is_usable(axe)
    await visit.page.context.set_offline(False)
    await visit.is_titled("Meus certificados")
    await expect(strip).to_have_count(0)
    said_nothing_else(visit)


async def test_an_article_is_read_offline(world: World, visits: Visits) -> None:
    user = await made(world, "learner")
    ana = await taking(world, user, ARTICLE)
    visit = await entered(world, visits, user)
    await opened_once(visit, ana)
    await offline(world, visit)
    await visit.go(path(ana, 0))
    await read_on(visit)
    await leave(visit)
    before = await ana.progress()
    await back_online(visit)
    # The course's page sends it by itself.
    await visit.go(path(ana))
    await expect(visit.page.locator("held-work")).to_be_hidden()
    await until(visit.page, _NOTHING_UNSENT)
    assert await ana.progress() > before
    said_nothing_else(visit)


async def test_a_downloaded_video_and_a_document_play_offline(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    film = await stored(world, settings, media_files.webm(6))
    paper = await stored(world, settings, media_files.pdf(2))
    ana = await taking(world, user, video(film), document(paper))
    visit = await entered(world, visits, user)
    await visit.go(path(ana))
    await visit.follow("Disponível offline")
    await expect(visit.page.locator("offline-modules[data-ready]")).to_be_attached()
    await visit.page.get_by_role("button", name="Baixar tudo").click()
    await expect(visit.page.locator("[data-state=saved]")).to_have_count(2)
    await offline(world, visit)
    await visit.go(path(ana, 0))
    picture = content(visit).locator("#video")
    await expect(picture).to_have_js_property("readyState", 4)
    await picture.evaluate("(video) => { video.muted = true; video.currentTime = 3; return video.play(); }")
    await is_unsaved(visit)
    await leave(visit)
    await visit.go(path(ana, 1))
    await expect(content(visit).locator("#sheet")).to_be_visible()
    await is_unsaved(visit)
    await leave(visit)
    await back_online(visit)
    await visit.go(f"{path(ana)}/offline")
    await visit.page.locator("[data-remove]:visible").first.click()
    await expect(visit.page.locator("[data-state=saved]")).to_have_count(1)
    said_nothing_else(visit)


async def test_what_needs_a_connection_says_so(world: World, settings: Settings, visits: Visits) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    spoken = await quiz_learner(world, VOICE, user_id=str(user.id))
    visit = await entered(world, visits, user)
    for address in (learner.path(), path(spoken, 0)):
        await visit.go(address)
        await content(visit).locator("body *").first.wait_for(state="attached")
    await visit.go(f"{path(spoken)}/offline")
    await expect(visit.page.locator("offline-modules")).to_contain_text("pede uma gravação")
    await offline(world, visit)
    for address in (learner.path(), path(spoken, 0), "/learn/profile"):
        await visit.go(address)
        await visit.is_titled("O que funciona sem conexão")
    said_nothing_else(visit)


@pytest.mark.parametrize("kind", ["signed out", "signed out of the panel", "session over"])
async def test_nothing_personal_stays(world: World, visits: Visits, kind: str) -> None:
    user = await made(world, "gestor" if "panel" in kind else "learner")
    ana = await taking(world, user, ARTICLE)
    visit = await entered(world, visits, user)
    await opened_once(visit, ana)
    assert len(await names_of_caches(visit)) == 1
    if "panel" in kind:
        await visit.go("/admin")
    if "signed out" in kind:
        await visit.sign_out()
    else:
        await visit.page.context.clear_cookies()
        await visit.go("/learn")
    await expect(visit.page).to_have_url(re.compile("login"))
    await until(visit.page, _NOTHING_SAVED)
    await until(visit.page, "() => !document.querySelector('content-store')")
    if "signed out" in kind:
        # What was downloaded is gone, too.
        await until(visit.page, "() => !localStorage.getItem('trilha.offline')")
    await offline(world, visit)
    with pytest.raises(Exception, match="ERR_"):
        await visit.go(path(ana, 0))
    said_nothing_else(visit)


async def test_another_person_finds_nothing(world: World, visits: Visits) -> None:
    ana, bob = await made(world, "learner"), await made(world, "learner")
    hers = await taking(world, ana, ARTICLE)
    visit = await entered(world, visits, ana)
    await opened_once(visit, hers)
    await offline(world, visit)
    await visit.go(path(hers, 0))
    await read_on(visit)
    before = await hers.progress()
    await leave(visit)
    await back_online(visit)
    other = await enter_as(world, visits, bob)
    await visit.page.context.add_cookies(await other.page.context.cookies())  # type: ignore[arg-type]
    his = await taking(world, bob, ARTICLE)
    await visit.go("/learn")
    await until(
        visit.page,
        f"() => caches.keys().then((all) => all.includes('trilha.pages.{bob.id}') && all.length <= 2)",
    )
    await opened_once(visit, his)
    names = await visit.page.evaluate("caches.keys()")
    assert f"trilha.pages.{ana.id}" not in names
    # Her work is not sent as his, and waits for her.
    assert await hers.progress() == before
    again = await enter_as(world, visits, ana)
    await visit.page.context.add_cookies(await again.page.context.cookies())  # type: ignore[arg-type]
    await visit.go(path(hers, 0))
    await content(visit).get_by_text("Parágrafo 39").wait_for()
    assert await hers.progress() > before
    said_nothing_else(visit)


async def test_a_quiz_goes_on_where_it_was(world: World, visits: Visits) -> None:
    user = await made(world, "learner")
    learner = await quiz_learner(world, *[RIGHT_OR_NOT] * 4, user_id=str(user.id), shuffle_questions=False)
    visit = await entered(world, visits, user)
    await visit.go(path(learner, 0))
    await content(visit).locator("#quiz[data-ready]").wait_for()
    await answer(visit, 1)
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
    await until(frame_of(visit), _SAVED)
    await offline(world, visit)
    for expected in (1, 2, 3):
        await visit.go(path(learner, 0))
        await content(visit).locator("#quiz[data-ready]").wait_for()
        await expect(content(visit).locator("[data-answered]")).to_have_count(expected)
        await answer(visit, 1)
        await is_unsaved(visit)
        if expected < 3:
            await leave(visit)
    other = Visit(await visit.page.context.new_page(), visit.address)
    await other.go(path(learner, 0))
    await expect(other.page.locator(".player__told")).to_contain_text("aberto em outra aba")
    await other.page.close()
    await leave(visit)
    await back_online(visit)
    await visit.go(path(learner, 0))
    await content(visit).locator("#quiz[data-ready]").wait_for()
    await expect(content(visit).locator("[data-answered]")).to_have_count(4)
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")
    said_nothing_else(visit)
