"""Work that a browser still holds is sent under the launch that made it, before a new launch begins."""

import asyncio
import json
import re
from typing import Any

import pytest
from playwright.async_api import expect

from browser.flows import Visit, Visits, enter_as
from browser.schools import leave_without_a_connection
from browser.test_keeping_state import is_told, keep, said_nothing_else
from browser.test_playing_scorm import content, opened
from conftest import World
from trilha.settings import Settings
from web.panel.signing_in import made
from web.player.contents import sco, sequenced
from web.player.playing import Enrolled, enrolled, taught

REVIEWED = "Revisão: seu progresso não muda"


async def press(visit: Visit, *names: str) -> None:
    for name in names:
        await content(visit).get_by_role("button", name=name).click()


async def closed_offline_and_opened_again(visit: Visit, learner: Enrolled, module: int = 0) -> Visit:
    """Opens the module again in another tab of the same browser. No other page is left to send anything."""
    context = visit.page.context
    again = Visit(await context.new_page(), visit.address)
    await leave_without_a_connection(visit.page)
    said_nothing_else(visit)
    await context.set_offline(False)
    await again.go(learner.path(module))
    return again


async def attempts(learner: Enrolled) -> list[tuple[Any, ...]]:
    return [(each["completion"], each["success"], each["score"]) for each in await learner.attempts()]


@pytest.mark.parametrize("version", ["1.2", "2004"])
async def test_a_pass_made_offline_after_a_saved_fail_counts(
    world: World, settings: Settings, visits: Visits, version: str
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco(version)), user)
    visit = await opened(visits, learner, user)
    await press(visit, "fail", "commit")
    await is_told(visit.page, "saved")
    assert await attempts(learner) == [("completed", "failed", 20)]
    await visit.page.context.set_offline(True)
    await press(visit, "pass", "answer", "commit")
    await is_told(visit.page, "unsaved")
    again = await closed_offline_and_opened_again(visit, learner)
    await expect(content(again).locator("#said")).to_have_text("resume|page 2")
    await expect(again.page.locator("#saved")).to_contain_text(REVIEWED)
    assert await attempts(learner) == [("completed", "passed", 90)]
    assert len(await learner.answers()) == 1
    read = await learner.read()
    assert (read["status"], read["score"]) == ("COMPLETED", 90)


@pytest.mark.parametrize("minutes", [0, 60], ids=["completed", "workload-is-missing"])
async def test_work_done_offline_after_a_saved_pass_is_added(
    world: World, settings: Settings, visits: Visits, minutes: int
) -> None:
    user = await made(world, "learner")
    regulation = {"kind": "other", "required_profile_fields": [], "minimum_workload_minutes": minutes}
    course = await taught(world, settings, sco("1.2"), regulation=regulation)
    learner = await enrolled(world, course, user)
    visit = await opened(visits, learner, user)
    await press(visit, "pass", "commit")
    await is_told(visit.page, "saved")
    await visit.page.context.set_offline(True)
    await press(visit, "answer")
    await keep(visit, "done on the train")
    await is_told(visit.page, "unsaved")
    again = await closed_offline_and_opened_again(visit, learner)
    await expect(content(again).locator("#state")).to_have_value("done on the train")
    await expect(again.page.locator("#saved")).to_contain_text(REVIEWED)
    assert len(await learner.answers()) == 1
    assert await attempts(learner) == [("completed", "passed", 90)]


async def test_what_cannot_be_applied_is_told_before_the_module_goes_on(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    first = await opened(visits, learner, user)
    await content(first).locator("#said").wait_for()
    await first.page.context.set_offline(True)
    await keep(first, "older")
    await is_told(first.page, "unsaved")
    second = await opened(visits, learner, user)
    await keep(second, "newer")
    await is_told(second.page, "saved")
    again = await closed_offline_and_opened_again(first, learner)
    await expect(again.page.locator("held-work")).to_contain_text("aberto em outro lugar")
    await expect(again.page.locator("#saved")).to_have_attribute("data-state", "opening")
    await again.press("Continuar")
    await expect(content(again).locator("#state")).to_have_value("newer")
    await expect(again.page.locator("held-work .notice")).to_have_count(0)
    await again.page.reload()
    await expect(content(again).locator("#state")).to_have_value("newer")


async def test_work_that_was_kept_when_its_person_signed_out_is_sent_after_the_next_sign_in(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    await keep(visit, "before")
    await is_told(visit.page, "saved")
    other = Visit(await visit.page.context.new_page(), visit.address)
    await other.go("/learn")
    await other.sign_out()
    await expect(other.page).to_have_url(re.compile("login"))
    await keep(visit, "after")
    await is_told(visit.page, "unsaved")
    await expect(visit.page.locator(".player__told")).to_contain_text("Entre novamente")
    assert "before" in str((await learner.attempts())[0]["cmi"])
    signing_in = await enter_as(world, visits, user)
    await visit.page.context.add_cookies(await signing_in.page.context.cookies())  # type: ignore[arg-type]
    await visit.page.locator("[data-open-again]").click()
    await expect(content(visit).locator("#state")).to_have_value("after")
    await is_told(visit.page, "saved")


# Two thousand answers of 1.2 KB.
FLOODS = """
acts.flood = () => setAll([...Array(2000).keys()].flatMap((n) => [
  [`cmi.interactions.${n}.id`, `q${n}`],
  [`cmi.interactions.${n}.type`, "fill-in"],
  [`cmi.interactions.${n}.student_response`, "a".repeat(1200)],
]));
"""


async def flood(visit: Visit) -> None:
    frame = next(each for each in visit.page.frames if "/p/" in each.url)
    await frame.evaluate("acts.flood(); acts.pass(); setAll([[elements.location, 'page 9']]); acts.commit()")


async def flooding(world: World, settings: Settings, visits: Visits) -> tuple[Enrolled, Visit]:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2", FLOODS)), user)
    visit = await opened(visits, learner, user)
    await keep(visit, "where I was")
    await is_told(visit.page, "saved")
    return learner, visit


async def is_saved_without_answers(learner: Enrolled, visit: Visit) -> None:
    """The decisive state is saved, the page says what is missing, and later work is saved too."""
    told = visit.page.locator(".player__told")
    await expect(told).to_contain_text("mais dados do que é possível salvar")
    await expect(told.locator("[data-count]")).to_have_text("2000")
    await is_told(visit.page, "saved")
    (attempt,) = await learner.attempts()
    assert (attempt["success"], attempt["score"]) == ("passed", 90)
    cmi = json.loads(attempt["cmi"])
    assert (cmi["suspend_data"], cmi["core"]["lesson_location"]) == ("where I was", "page 9")
    await keep(visit, "and on")
    await is_told(visit.page, "saved")
    assert json.loads((await learner.attempts())[0]["cmi"])["suspend_data"] == "and on"
    async with learner.world.tx() as tx:
        assert await tx.value("SELECT left_out FROM launches WHERE tenant_id = :tenant") == 2000


async def test_a_commit_that_is_too_large_is_saved_without_its_answers(
    world: World, settings: Settings, visits: Visits
) -> None:
    learner, visit = await flooding(world, settings, visits)
    await flood(visit)
    await is_saved_without_answers(learner, visit)


async def test_what_a_proxy_finds_too_large_blocks_nothing(
    world: World, settings: Settings, visits: Visits
) -> None:
    """The proxy gives its own answer, for a smaller size than our limit."""
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    await content(visit).locator("#said").wait_for()

    async def refuse(route: Any) -> None:
        if len(route.request.post_data or "") > 1000:
            await route.fulfill(status=413, content_type="text/html", body="<h1>413</h1>")
        else:
            await route.continue_()

    await visit.page.route("**/l/*/commit", refuse)
    await press(visit, "answer")
    await keep(visit, "x" * 2000)
    await expect(visit.page.locator(".player__told")).to_contain_text("não foi salva")
    await keep(visit, "short")
    await is_told(visit.page, "saved")
    assert "short" in str((await learner.attempts())[0]["cmi"])


async def test_a_module_that_was_locked_opens_once_the_work_before_it_is_sent(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    regulation = {"kind": "other", "required_profile_fields": [], "sequential": True}
    learner = await enrolled(world, await taught(world, settings, sequenced(), regulation=regulation), user)
    visit = await opened(visits, learner, user)
    await content(visit).locator("#said").wait_for()
    await visit.page.context.set_offline(True)
    await press(visit, "pass", "commit")
    await is_told(visit.page, "unsaved")
    again = await closed_offline_and_opened_again(visit, learner, module=1)
    await expect(content(again).locator("#said")).to_have_text(re.compile("^ab-initio"))
    assert await attempts(learner) == [("completed", "passed", 90), ("unknown", "unknown", None)]


async def test_an_enrollment_that_ran_out_meanwhile_says_what_is_not_saved(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    await content(visit).locator("#said").wait_for()
    await visit.page.context.set_offline(True)
    await press(visit, "pass", "commit")
    await is_told(visit.page, "unsaved")
    async with world.tx() as tx:
        await tx.execute("UPDATE all_enrollments SET expires_at = :now WHERE tenant_id = :tenant")
    again = await closed_offline_and_opened_again(visit, learner)
    await expect(again.page.locator("held-work")).to_contain_text("o prazo do curso já tinha terminado")
    await again.press("Continuar")
    await expect(again.page.locator("held-work .notice")).to_have_count(0)
    async with world.tx() as tx:
        assert await tx.value("SELECT outcome FROM unapplied_reports WHERE tenant_id = :tenant") == "EXPIRED"


async def test_the_module_does_not_open_before_the_server_has_answered(
    world: World, settings: Settings, visits: Visits
) -> None:
    """First the server does not answer, then a proxy in front of it refuses the size of the held work."""
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    await content(visit).locator("#said").wait_for()
    await visit.page.context.set_offline(True)
    await press(visit, "pass", "answer")
    await content(visit).locator("body").evaluate("setAll([['cmi.comments', 'x'.repeat(3000)]])")
    await keep(visit, "in the train")
    await is_told(visit.page, "unsaved")
    context = visit.page.context
    answers = [503, 503]

    async def refuse(route: Any) -> None:
        if answers:
            await route.fulfill(status=answers.pop(), body="down")
        elif len(route.request.post_data or "") > 2000:
            await route.fulfill(status=413, content_type="text/html", body="<h1>413</h1>")
        else:
            await route.continue_()

    await context.route("**/learn/held*", refuse)
    again = await closed_offline_and_opened_again(visit, learner)
    await expect(again.page.locator("held-work")).to_contain_text("Você está sem conexão")
    assert await again.page.locator("#content").count() == 0
    await expect(content(again).locator("#state")).to_have_value("in the train", timeout=20_000)
    assert await attempts(learner) == [("completed", "passed", 90)]
    assert await learner.answers() == []
    async with world.tx() as tx:
        assert await tx.value("SELECT max(left_out) FROM launches WHERE tenant_id = :tenant") == 1
    again.said.clear()  # the browser complains about 503


async def test_where_frames_have_no_storage_the_page_around_keeps_and_sends_it(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await enter_as(world, visits, user)
    await visit.page.context.add_init_script(
        """if (location.hostname.includes("content")) Object.defineProperty(window, "localStorage", {
            get() { throw new DOMException("none", "SecurityError"); } });"""
    )
    await visit.go(learner.path())
    await content(visit).locator("#said").wait_for()
    await visit.page.context.set_offline(True)
    await press(visit, "fail", "commit", "pass", "answer")
    await keep(visit, "in a private window")
    await is_told(visit.page, "unsaved")
    again = await closed_offline_and_opened_again(visit, learner)
    await expect(content(again).locator("#state")).to_have_value("in a private window")
    assert await attempts(learner) == [("completed", "passed", 90)]
    keys = await again.page.evaluate("Object.keys(localStorage)")
    assert [each for each in keys if each != "trilha.offline"] == []


async def test_two_tabs_that_open_at_once_send_it_once(
    world: World, settings: Settings, visits: Visits
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, sco("1.2")), user)
    visit = await opened(visits, learner, user)
    await content(visit).locator("#said").wait_for()
    await visit.page.context.set_offline(True)
    await press(visit, "answer", "commit")
    await keep(visit, "once")
    await is_told(visit.page, "unsaved")
    context = visit.page.context
    others = [Visit(await context.new_page(), visit.address) for _ in range(2)]
    await leave_without_a_connection(visit.page)
    await context.set_offline(False)
    await asyncio.gather(*(each.go(learner.path()) for each in others))
    for each in others:
        await expect(content(each).locator("#state")).to_have_value("once")
        await expect(each.page.locator("held-work .notice")).to_have_count(0)
    visit.said.clear()
    async with world.tx() as tx:
        rows = await tx.rows("SELECT detail FROM learning_log WHERE tenant_id = :tenant AND kind = 'commit'")
    applied = [json.loads(row["detail"]) for row in rows]
    assert [each["outcome"] for each in applied] == ["APPLIED"]
    assert applied[0]["held"] is True
