"""Half an hour offline with 40 answers and 200 heartbeats, and a browser that is killed in between: nothing
is lost, nothing is counted twice, and the study time is not inflated.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from playwright.async_api import Browser, BrowserContext, Request, expect

from browser.chromium import with_profile
from browser.flows import Visit
from browser.schools import is_on_disk, kill_browser
from browser.test_offline import answer, content, frame_of, is_unsaved, path, saved_module, saved_pages
from conftest import World
from running import wait_until
from training.learning.quiz_takers import RIGHT_OR_NOT, QuizLearner, quiz_learner
from trilha.people.users.schema import User
from web.panel.signing_in import browser_of, made

QUESTIONS = 40
STEP = 45  # seconds
# A question takes one step, and each step has five heartbeats or more: one or two of the timer, the others of
# a page that is hidden and shown.
OFFLINE = QUESTIONS * STEP
_BEATS = "() => { for (let n = 0; n < 4; n += 1) document.dispatchEvent(new Event('visibilitychange')); }"
# The highest number of a stored report.
_LAST = r"""() => '"number":' + Math.max(...Object.entries(localStorage)
  .filter(([key]) => key.startsWith("trilha.queue.") && !key.includes(".beats."))
  .flatMap(([, text]) => JSON.parse(text).items)
  .map((each) => each.number))"""
_NOTHING_UNSENT = "() => !Object.keys(localStorage).some((key) => key.startsWith('trilha.unsent'))"


class Offline(Struct):
    """A learner offline, in one browser after the other, whose time and ours passes alike."""

    world: World
    learner: QuizLearner
    real: bool
    beats: int = 0

    async def enter(self, context: BrowserContext, address: str) -> Visit:
        visit = Visit(await context.new_page(), address)
        if not self.real:
            await visit.page.clock.install()
        visit.page.on("requestfailed", lambda request: self._count(request))
        return visit

    def _count(self, request: Request) -> None:
        self.beats += request.url.endswith("/heartbeat")

    async def pass_time(self, visit: Visit) -> None:
        self.world.clock.move(seconds=STEP)
        if self.real:
            await asyncio.sleep(STEP)
        else:
            await visit.page.clock.run_for(STEP * 1000)
        await frame_of(visit).evaluate(_BEATS)

    async def study(self, visit: Visit, count: int) -> None:
        await content(visit).locator("#quiz[data-ready]").wait_for()
        for _ in range(count):
            await answer(visit, 1)
            await self.pass_time(visit)

    async def state(self) -> tuple[int, float, float]:
        """Returns the number of stored answers, and the study time of the enrollment and of its modules."""
        async with self.world.tx() as tx:
            (row,) = await tx.rows(
                """
                SELECT (SELECT count(*) FROM quiz_answers WHERE tenant_id = :tenant) AS answers,
                       h.credited_seconds AS whole,
                       (SELECT sum(credited_seconds) FROM module_progress
                        WHERE tenant_id = :tenant AND enrollment_id = h.enrollment_id) AS modules
                FROM learning_heads h WHERE h.tenant_id = :tenant AND h.enrollment_id = :id
                """,
                id=self.learner.id,
            )
        return row["answers"], row["whole"], row["modules"]


async def cookies_of(world: World, user: User, address: str) -> list[dict[str, Any]]:
    client = await browser_of(world, user, "pt-BR")
    cookies = [{"name": each.name, "value": each.value or "", "url": address} for each in client.cookies.jar]
    await client.aclose()
    return cookies


@pytest.mark.parametrize("minimum", [0, 60], ids=["counts", "workload-is-required"])
@pytest.mark.parametrize(
    "real",
    [False, pytest.param(True, marks=[pytest.mark.long, pytest.mark.timeout(3000)])],
    ids=["simulated", "real"],
)
async def test_half_an_hour_offline(
    world: World, address: str, launched: Browser, tmp_path: Path, minimum: int, real: bool
) -> None:
    user = await made(world, "learner")
    regulation = {"minimum_workload_minutes": minimum} if minimum else None
    members = {"regulation": regulation} if regulation else {}
    learner = await quiz_learner(
        world, *[RIGHT_OR_NOT] * QUESTIONS, user_id=str(user.id), shuffle_questions=False, **members
    )
    offline = Offline(world, learner, real)
    async with with_profile(tmp_path) as context:
        await context.add_cookies(await cookies_of(world, user, address))  # type: ignore[arg-type]
        visit = Visit(await context.new_page(), address)
        await visit.go("/learn")
        await saved_pages(visit)
        await visit.go(path(learner, 0))
        await saved_module(visit)
        await visit.page.close()
        before = await offline.state()
        await context.set_offline(True)
        visit = await offline.enter(context, address)
        await visit.go(path(learner, 0))
        await offline.study(visit, QUESTIONS // 2)
        await is_unsaved(visit)
        # Browsers decide when they write a page's storage to the disk.
        last = await frame_of(visit).evaluate(_LAST)
        await asyncio.to_thread(wait_until, lambda: is_on_disk(tmp_path, str(last).encode()), 150)
        await asyncio.to_thread(kill_browser, tmp_path)
    assert await offline.state() == before
    async with with_profile(tmp_path) as context:
        await context.set_offline(True)
        visit = await offline.enter(context, address)
        await visit.go(path(learner, 0))
        await content(visit).locator("#quiz[data-ready]").wait_for()
        await expect(content(visit).locator("[data-answered]")).to_have_count(QUESTIONS // 2)
        await offline.study(visit, QUESTIONS // 2)
        assert await offline.state() == before
        assert offline.beats >= 200
        await visit.page.goto("about:blank")
        await context.set_offline(False)
        await context.add_cookies(await cookies_of(world, user, address))  # type: ignore[arg-type]
        for _ in range(3):
            visit = Visit(await context.new_page(), address)
            await visit.go("/learn")
            await visit.page.wait_for_function(_NOTHING_UNSENT)
            answers, whole, modules = await offline.state()
            assert answers == QUESTIONS
            assert whole == modules
            if minimum:
                assert whole == before[1]
            else:
                # Killed with the browser: what passed since its last heartbeat.
                assert OFFLINE - 2 * STEP <= whole - before[1] <= OFFLINE
        await visit.go(path(learner, 0))
        await expect(content(visit).locator("[data-answered]")).to_have_count(QUESTIONS)
        await content(visit).locator("[data-hand-in]").click()
        await content(visit).locator("[data-confirm]").click()
        await expect(content(visit).locator(".quiz__score")).to_contain_text("100")
