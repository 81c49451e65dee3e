"""Videos, documents and articles in the player, in a learner's browser."""

from playwright.async_api import FrameLocator, Locator, expect

import media_files
from browser.flows import Visit, Visits, enter_as
from conftest import World
from training.learning.students import Student
from trilha.settings import Settings
from web.panel.signing_in import made
from web.player.materials import article, document, stored, taking, video


async def opened(visits: Visits, ana: Student, user: object, module: int = 0, size: str = "desktop") -> Visit:
    visit = await enter_as(ana.world, visits, user, size)
    await visit.go(f"/learn/enrollments/{ana.id}/modules/{ana.modules[module]}")
    return visit


def inside(visit: Visit) -> FrameLocator:
    return visit.page.frame_locator("#content")


async def is_saved(visit: Visit) -> None:
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved")


async def is_ready(picture: Locator) -> None:
    """Waits until everything on the page is loaded, so that the clock may be moved."""
    await expect(picture).to_have_js_property("readyState", 4)


async def reaches(picture: Locator, second: float) -> None:
    await picture.evaluate(
        """(video, second) => new Promise((done) => {
            const look = () => video.currentTime >= second ? done() : setTimeout(look, 50);
            look();
        })""",
        second,
    )


async def leave(visit: Visit, ana: Student) -> None:
    await visit.page.locator("[data-exit]").click()
    await visit.is_at(f"/learn/enrollments/{ana.id}")


async def ends(visit: Visit, ana: Student, title: str) -> None:
    """Waits for the page that says how the first module ended."""
    await visit.is_at(f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}/done")
    await expect(visit.page.get_by_role("heading", level=1)).to_have_text(title)


async def test_a_video_is_left_gone_on_with_and_watched_to_its_end(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    film = await stored(world, settings, media_files.webm(6))
    words = await stored(world, settings, media_files.vtt("Um", "Dois"))
    ana = await taking(world, user, video(film, **{"pt-BR": words}))
    visit = await opened(visits, ana, user)
    frame = inside(visit)
    picture = frame.locator("#video")
    await is_ready(picture)
    world.clock.move(seconds=30)
    await expect(frame.locator("#told")).to_contain_text("0%")
    await picture.evaluate("video => { video.muted = true; video.playbackRate = 2 }")
    await picture.press("k")
    await reaches(picture, 2)
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saving")
    await picture.press("k")
    await is_saved(visit)
    halfway = await ana.progress()
    assert 30 < halfway < 95
    await leave(visit, ana)
    await visit.go(f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}")
    await reaches(picture, 1.9)
    await is_ready(picture)
    world.clock.move(seconds=30)
    assert await picture.evaluate("video => [...video.textTracks].map(each => each.language)") == ["pt-BR"]
    await picture.evaluate("video => { video.muted = true; video.playbackRate = 2; video.play() }")
    await ends(visit, ana, "Curso concluído")
    assert (await ana.read())["status"] == "COMPLETED"


async def test_a_part_that_was_skipped_is_told_and_reached(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    ana = await taking(world, user, video(await stored(world, settings, media_files.webm(6))))
    visit = await opened(visits, ana, user)
    frame = inside(visit)
    picture = frame.locator("#video")
    await is_ready(picture)
    world.clock.move(seconds=60)
    await picture.evaluate("video => { video.muted = true; video.currentTime = 4; video.play() }")
    await expect(picture).to_have_js_property("ended", True)
    await is_saved(visit)
    await expect(frame.get_by_role("button", name="Continuar")).to_be_visible()
    assert 20 < await ana.progress() < 60
    await frame.get_by_role("button", name="Ir para parte não assistida").click()
    assert await picture.evaluate("video => video.currentTime") < 1
    await expect(frame.get_by_role("button", name="Continuar")).to_be_hidden()
    await picture.evaluate("video => { video.playbackRate = 2; video.play() }")
    await ends(visit, ana, "Curso concluído")


async def test_what_is_watched_without_a_network_is_saved_when_it_is_back(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    ana = await taking(world, user, video(await stored(world, settings, media_files.webm(4))))
    visit = await opened(visits, ana, user)
    picture = inside(visit).locator("#video")
    await is_ready(picture)
    await picture.evaluate("async video => { await (await fetch(video.src)).blob() }")
    world.clock.move(seconds=30)
    await visit.page.context.set_offline(True)
    await picture.evaluate("video => { video.muted = true; video.playbackRate = 2; video.play() }")
    await expect(picture).to_have_js_property("ended", True)
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "unsaved")
    assert await ana.progress() == 0
    await visit.page.context.set_offline(False)
    await ends(visit, ana, "Curso concluído")
    assert await ana.progress() == 100
    visit.said.clear()  # the browser complains about each attempt


async def test_a_console_gains_nothing(world: World, settings: Settings, visits: Visits) -> None:
    user = await made(world, "learner")
    ana = await taking(world, user, video(await stored(world, settings, media_files.webm(60, 1))))
    visit = await opened(visits, ana, user)
    await visit.page.wait_for_selector("#content")
    frame = visit.page.frames[1]
    told = await frame.evaluate(
        """async () => (await fetch("watched", {method: "POST", body: JSON.stringify({
            ranges: [[0, 60]], position: 60, length: 60, launch: {sequence: 999, final: true}})})).json()"""
    )
    assert (told["outcome"], told["progress"], await ana.progress()) == ("APPLIED", 0, 0)


async def test_a_document_is_read_by_keys(world: World, settings: Settings, visits: Visits) -> None:
    user = await made(world, "learner")
    ana = await taking(world, user, document(await stored(world, settings, media_files.pdf(3))))
    visit = await opened(visits, ana, user)
    frame = inside(visit)
    await expect(frame.locator("#sheet")).to_be_visible()
    world.clock.move(seconds=60)
    await expect(frame.locator("#told")).to_have_text("Páginas lidas: 1 de 3.", timeout=10_000)
    await frame.locator("#view").press("ArrowRight")
    await expect(frame.locator("#page")).to_have_value("2")
    await expect(frame.locator("#told")).to_have_text("Páginas lidas: 2 de 3.", timeout=10_000)
    await is_saved(visit)
    assert await ana.progress() == 66.67
    await leave(visit, ana)
    await visit.go(f"/learn/enrollments/{ana.id}/modules/{ana.modules[0]}")
    await expect(frame.locator("#page")).to_have_value("2")
    await expect(frame.locator("#sheet")).to_be_visible()
    world.clock.move(seconds=60)
    await expect(frame.get_by_role("button", name="Continuar")).to_be_hidden()
    await frame.locator("#view").press("End")
    await expect(frame.locator("#told")).to_have_text("Você concluiu este documento.", timeout=10_000)
    await is_saved(visit)
    assert (await ana.read())["status"] == "COMPLETED"
    await frame.get_by_role("button", name="Continuar").click()
    await ends(visit, ana, "Curso concluído")


async def test_an_article_is_read_on_a_phone(world: World, settings: Settings, visits: Visits) -> None:
    user = await made(world, "learner")
    body = "\n\n".join(f"## Parte {n}\n\nUma frase curta." for n in range(12))
    ana = await taking(world, user, article(body))
    visit = await opened(visits, ana, user, size="phone")
    frame = inside(visit)
    await expect(frame.get_by_role("heading", name="Parte 11")).not_to_be_in_viewport()
    await expect(frame.locator("#told")).not_to_be_empty()
    world.clock.move(seconds=60)
    wide = await frame.locator("html").evaluate("html => html.scrollWidth - innerWidth")
    assert wide <= 0
    await frame.get_by_role("heading", name="Parte 11").scroll_into_view_if_needed()
    await frame.locator("html").evaluate("html => scrollTo(0, html.scrollHeight)")
    await expect(frame.locator("#told")).to_have_text("Você concluiu este artigo.", timeout=15_000)
    await is_saved(visit)
    assert (await ana.read())["status"] == "COMPLETED"
    await frame.get_by_role("button", name="Continuar").click()
    await ends(visit, ana, "Curso concluído")
