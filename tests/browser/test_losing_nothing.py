"""Work that was shown as saved is saved and never goes back, whichever process ends meanwhile.

The server is complete, in its own processes. The content counts, and commits each number.
"""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from playwright.async_api import Browser, BrowserContext, expect

from browser.chromium import new_context, with_profile
from browser.schools import (
    COUNTS,
    School,
    goes_on_from,
    is_on_disk,
    kill_all,
    kill_browser,
    kill_database,
    kill_serving,
    launched_at,
    opened,
    restart,
    shown_as_saved,
    signed_in,
    tab,
)
from browser.test_keeping_state import is_told, keep
from browser.test_playing_scorm import content
from running import Running, running, wait_until
from web.player.contents import sco


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    folder = tmp_path_factory.mktemp("school")
    with running(folder, TRILHA_LIMIT_LOGIN="1000/1m") as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        scopes = "users:write,enrollments:write"
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
        courses = {}
        for name, more in (("counts", COUNTS), ("keeps", "")):
            (folder / name).write_bytes(sco("1.2", more))
            course = trilha.command(
                *("course", "import", "--tenant", "acme", "--title", name, "--publish"), str(folder / name)
            )
            courses[name] = (course["id"], course["modules"][0]["id"])
        yield School(trilha, made["key"], courses)


Devices = Callable[[], Any]


@pytest.fixture
async def devices(launched: Browser, school: School) -> AsyncIterator[Devices]:
    """Returns a function that starts a new browser without any data."""
    async with contextlib.AsyncExitStack() as stack:

        async def device() -> BrowserContext:
            context = await new_context(launched, "desktop", base_url=school.trilha.url)
            return await stack.enter_async_context(context)

        yield device


# A restart is milder than a kill.
@pytest.mark.parametrize(
    "end", [pytest.param(restart, marks=pytest.mark.long), kill_all, kill_serving, kill_database]
)
async def test_the_server_ends_while_content_commits(
    school: School, devices: Devices, end: Callable[[Running], None]
) -> None:
    learner = await school.learner("counts")
    visit = await opened(learner, await devices())
    await shown_as_saved(visit.page, 4)
    await asyncio.to_thread(end, school.trilha)
    shown = await shown_as_saved(visit.page, 4)
    applied = await learner.applied()
    assert set(shown) <= set(applied)
    assert applied == sorted(set(applied))
    again = await tab(learner, visit.page.context)
    await visit.page.close()
    await again.go(learner.path)
    assert await goes_on_from(again) >= shown[-1]


async def test_it_says_that_nothing_is_saved_while_the_server_is_down(
    school: School, devices: Devices
) -> None:
    learner = await school.learner("keeps")
    visit = await opened(learner, await devices())
    await keep(visit, "first")
    await is_told(visit.page, "saved")
    await asyncio.to_thread(school.trilha.stop)
    try:
        await keep(visit, "second")
        await is_told(visit.page, "unsaved")
    finally:
        await asyncio.to_thread(school.trilha.start_again)
    await expect(visit.page.locator("#saved")).to_have_attribute("data-state", "saved", timeout=60_000)
    assert await learner.kept() == "second"


# A minute, at four numbers a second.
@pytest.mark.parametrize("count", [12, pytest.param(240, marks=[pytest.mark.long, pytest.mark.timeout(300)])])
async def test_the_network_is_off(school: School, devices: Devices, count: int) -> None:
    learner = await school.learner("counts")
    visit = await opened(learner, await devices())
    await shown_as_saved(visit.page, 2)
    await visit.page.context.set_offline(True)
    await is_told(visit.page, "unsaved")
    before = await visit.page.evaluate("counted.length")
    await visit.page.wait_for_function(f"() => counted.length >= {before + count}", timeout=120_000)
    offline = (await visit.page.evaluate("counted"))[before:]
    assert {state for _, state in offline} == {"unsaved"}
    assert max(await learner.applied()) < offline[0][0]
    await visit.page.context.set_offline(False)
    shown = await shown_as_saved(visit.page, 1)
    applied = await learner.applied()
    assert shown[-1] >= offline[-1][0]
    assert set(shown) <= set(applied)
    assert applied == sorted(set(applied))


async def test_the_browser_is_killed(school: School, tmp_path: Path, launched: Browser) -> None:
    learner = await school.learner("counts")
    async with with_profile(tmp_path) as context:
        visit = await opened(learner, context)
        cookies = await context.cookies()
        shown = await shown_as_saved(visit.page, 4)
        await asyncio.to_thread(kill_browser, tmp_path)
    assert set(shown) <= set(await learner.applied())
    async with with_profile(tmp_path) as context:
        await context.add_cookies(cookies)  # type: ignore[arg-type]
        visit = await tab(learner, context)
        await visit.go(learner.path)
        assert await goes_on_from(visit) >= shown[-1]


async def test_the_browser_is_killed_before_it_could_send(
    school: School, tmp_path: Path, launched: Browser
) -> None:
    learner = await school.learner("keeps")
    async with with_profile(tmp_path) as context:
        visit = await opened(learner, context)
        cookies = await context.cookies()
        await content(visit).locator("#said").wait_for()
        await context.set_offline(True)
        await keep(visit, "done on the train")
        await is_told(visit.page, "unsaved")
        # Browsers decide when they write a page's storage to the disk.
        await asyncio.to_thread(wait_until, lambda: is_on_disk(tmp_path, b"done on the train"))
        await asyncio.to_thread(kill_browser, tmp_path)
    async with with_profile(tmp_path) as context:
        await context.add_cookies(cookies)  # type: ignore[arg-type]
        visit = await tab(learner, context)
        await visit.go(learner.path)
        await expect(content(visit).locator("#state")).to_have_value("done on the train")
        await is_told(visit.page, "saved")
    assert await learner.kept() == "done on the train"


async def test_the_cookies_are_lost_while_a_module_is_open(school: School, devices: Devices) -> None:
    """The session continues, and so does the launch."""
    learner = await school.learner("keeps")
    visit = await opened(learner, await devices())
    await keep(visit, "before")
    await is_told(visit.page, "saved")
    await visit.page.context.clear_cookies()
    await keep(visit, "after")
    await expect(content(visit).locator("#last")).to_have_text("true")
    await is_told(visit.page, "saved")
    assert await learner.kept() == "after"


@pytest.mark.parametrize("closed", [False, True], ids=["told", "opened-again"])
async def test_what_an_offline_device_did_does_not_replace_what_is_newer(
    school: School, devices: Devices, closed: bool
) -> None:
    learner = await school.learner("keeps")
    first = await opened(learner, await devices())
    await content(first).locator("#said").wait_for()
    await first.page.context.set_offline(True)
    await keep(first, "older")
    await is_told(first.page, "unsaved")
    second = await opened(learner, await devices())
    await keep(second, "newer")
    await is_told(second.page, "saved")
    if closed:
        again = await tab(learner, first.page.context)
        await first.page.close()
        await again.page.context.set_offline(False)
        await again.go(learner.path)
        await again.press("Continuar")
        await expect(content(again).locator("#state")).to_have_value("newer")
    else:
        await first.page.context.set_offline(False)
        await is_told(first.page, "lost")
        await expect(first.page.locator(".player__told")).to_contain_text("aberto em outro lugar")
    assert await learner.kept() == "newer"


async def test_a_device_is_told_with_its_next_commit_that_another_goes_on(
    school: School, devices: Devices
) -> None:
    learner = await school.learner("keeps")
    first = await opened(learner, await devices())
    await keep(first, "one")
    await is_told(first.page, "saved")
    second = await opened(learner, await devices())
    await expect(content(second).locator("#state")).to_have_value("one")
    await keep(first, "two")
    await expect(content(first).locator("#last")).to_have_text("true")
    await expect(first.page.locator(".player__told")).to_contain_text("aberto em outro lugar")
    await keep(first, "three")
    await is_told(first.page, "lost")
    assert await learner.kept() == "two"


async def test_a_second_tab_takes_over_what_the_first_could_not_send(
    school: School, devices: Devices
) -> None:
    learner = await school.learner("keeps")
    first = await opened(learner, await devices())
    await content(first).locator("#said").wait_for()
    await first.page.route(re.compile("/l/[^/]+/commit$"), lambda route: route.abort())
    await keep(first, "of the first tab")
    await is_told(first.page, "unsaved")
    second = await tab(learner, first.page.context)
    await second.go(learner.path)
    await expect(content(second).locator("#state")).to_have_value("of the first tab")
    await is_told(second.page, "saved")
    # The second tab has sent nothing yet, so the work of the first one counts, and the second one is told.
    # The work is queued before the first tab can send again, because the next answer closes that tab.
    await keep(first, "of the first tab, too")
    await first.page.unroute_all()
    await expect(first.page.locator(".player__told")).to_contain_text("aberto em outro lugar")
    await is_told(first.page, "saved")
    assert await learner.kept() == "of the first tab, too"
    await keep(second, "of what was before")
    await is_told(second.page, "lost")
    assert await learner.kept() == "of the first tab, too"


# By launch and commit number: the state that it sends, and its outcome. All launches are open.
SENT = {
    "out-of-order": [(0, 1, "a", "APPLIED"), (0, 3, "c", "APPLIED"), (0, 2, "b", "STALE")],
    "repeated": [
        *((0, 1, "a", "APPLIED"), (0, 1, "a", "REPEATED")),
        *((0, 2, "c", "APPLIED"), (0, 2, "c", "REPEATED"), (0, 1, "a", "STALE")),
    ],
    "two-under-a-number": [(0, 1, "c", "APPLIED"), (0, 1, "b", "CONFLICTING")],
    "late-beacon": [(0, 1, "a", "APPLIED"), (1, 1, "c", "APPLIED"), (0, 2, "b", "SUPERSEDED")],
}


@pytest.mark.parametrize("sent", SENT.values(), ids=SENT)
async def test_commits_that_come_as_they_like(
    school: School, devices: Devices, sent: list[tuple[int, int, str, str]]
) -> None:
    learner = await school.learner("keeps")
    visit = await signed_in(learner, await devices())
    launches = [await launched_at(visit, learner) for _ in range(2 if max(sent)[0] else 1)]
    async with httpx2.AsyncClient(base_url=school.trilha.url) as http:
        for launch, sequence, text, outcome in sent:
            body = {"cmi": {"suspend_data": text}, "launch": {"sequence": sequence, "final": False}}
            place = urlsplit(launches[launch])
            # Beacons send this content type.
            headers = {"host": place.netloc, "content-type": "text/plain;charset=UTF-8"}
            answer = await http.post(f"{place.path}commit", content=json.dumps(body), headers=headers)
            assert answer.json()["outcome"] == outcome, text
    assert await learner.kept() == "c"
