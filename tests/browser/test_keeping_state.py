"""What the player shows as saved, while the network fails, pages are closed, and modules are opened twice."""

import asyncio

from playwright.async_api import Page, expect

from browser.flows import Visit, Visits, enter_as
from browser.test_playing_scorm import content, opened
from conftest import World
from trilha.settings import Settings
from web.panel.signing_in import made
from web.player.contents import sco
from web.player.playing import Enrolled, enrolled, taught


async def is_told(page: Page, state: str) -> None:
    await expect(page.locator("#saved")).to_have_attribute("data-state", state)


async def keep(visit: Visit, text: str) -> None:
    inside = content(visit)
    await inside.locator("#state").fill(text)
    await inside.get_by_role("button", name="keep").click()


def said_nothing_else(visit: Visit) -> None:
    """Checks that the browser complained only about the missing network."""
    assert [
        each for each in visit.said if "ERR_INTERNET_DISCONNECTED" not in each and "net::" not in each
    ] == []
    visit.said.clear()


async def kept(learner: Enrolled) -> str:
    return str((await learner.attempts())[0]["cmi"])


async def test_what_is_done_offline_is_sent_when_the_network_is_back(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    await keep(visit, "first")
    await is_told(visit.page, "saved")
    await visit.page.context.set_offline(True)
    await keep(visit, "second")
    await is_told(visit.page, "unsaved")
    await expect(visit.page.locator(".player__told")).to_contain_text("Você está sem conexão")
    assert "second" not in await kept(learner)
    await visit.page.context.set_offline(False)
    await is_told(visit.page, "saved")
    await expect(visit.page.locator(".player__told")).to_be_empty()
    assert "second" in await kept(learner)
    said_nothing_else(visit)


async def test_what_was_not_sent_is_sent_by_the_next_launch_however_late(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    await expect(content(visit).locator("#said")).to_be_visible()
    await visit.page.context.set_offline(True)
    await keep(visit, "done on the train")
    await is_told(visit.page, "unsaved")
    # The tab was closed, and its launch has expired when the module is opened again.
    page = visit.page
    visit.page = await page.context.new_page()
    await page.close()
    world.clock.move(minutes=20)
    await visit.page.context.set_offline(False)
    visit.page.on("console", visit._hear)
    await visit.go(learner.path())
    await expect(content(visit).locator("#state")).to_have_value("done on the train")
    await is_told(visit.page, "saved")
    assert "done on the train" in await kept(learner)
    said_nothing_else(visit)


async def test_what_waits_still_counts_where_nothing_came_from_elsewhere(
    world: World, settings: Settings, visits: Visits
) -> None:
    """The heartbeat arrives before the waiting work is sent, and says that the module is open elsewhere."""
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    await expect(content(visit).locator("#said")).to_be_visible()
    await visit.page.route("**/commit", lambda route: route.abort())
    await keep(visit, "waits")
    await is_told(visit.page, "unsaved")
    await learner.launch()
    inside = visit.page.frame_locator("#content").locator("body")
    async with visit.page.expect_response("**/heartbeat"):
        await inside.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    await expect(visit.page.locator(".player__told")).to_contain_text("Você está sem conexão")
    await visit.page.unroute("**/commit")
    await expect(visit.page.locator(".player__told")).to_contain_text("aberto em outro lugar")
    await is_told(visit.page, "saved")
    assert "waits" in await kept(learner)
    said_nothing_else(visit)


async def test_a_module_that_is_opened_elsewhere_is_not_saved_here(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    first = await opened(visits, learner, user)
    await keep(first, "one")
    second = await enter_as(world, visits, user)
    await second.go(learner.path())
    await keep(second, "two")
    await is_told(second.page, "saved")
    await keep(first, "three")
    await is_told(first.page, "lost")
    await expect(first.page.locator(".player__told")).to_contain_text("aberto em outro lugar")
    assert "two" in await kept(learner)
    first.said.clear()


async def test_a_large_state_is_kept_whole(world: World, settings: Settings, visits: Visits) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    text = "ação " * 40_000
    await keep(visit, text)
    await expect(content(visit).locator("#last")).to_have_text("true")
    await is_told(visit.page, "saved")
    await visit.page.reload()
    await expect(content(visit).locator("#state")).to_have_value(text)


async def test_what_is_done_last_is_saved_when_the_tab_is_closed(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("2004")), user)
    visit = await opened(visits, learner, user)
    await content(visit).get_by_role("button", name="pass").click()
    await is_told(visit.page, "unsaved")
    await visit.page.close()
    visit.page = await visit.page.context.new_page()
    await visit.go(learner.path())
    async with asyncio.timeout(30):  # the browser sends it while it closes the tab
        while (await learner.attempts())[0]["success"] != "passed":
            await visit.page.wait_for_timeout(100)
