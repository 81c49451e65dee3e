"""Work without a connection: in the end, the server has what the learner was told.

This covers every kind of module, in every earlier state, with every way in which a page ends.
"""

import asyncio
import contextlib
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import psutil
import pytest
from msgspec import Struct
from playwright.async_api import Browser, BrowserContext, FrameLocator, expect

import media_files
from browser.chromium import new_context, with_profile
from browser.flows import Visit
from browser.schools import (
    Learner,
    School,
    is_on_disk,
    kill,
    kill_browser,
    leave_without_a_connection,
    opened,
    tab,
)
from browser.test_keeping_state import is_told
from browser.test_losing_no_studies import chosen, is_saved, watched
from browser.test_playing_scorm import content
from running import running, wait_until
from web.player.contents import sco

COURSE = """
title: Você está sem conexão
slug: sem-conexao
modules:
  - title: Prova
    type: QUIZ
    duration_minutes: 1
    questions:
      - {kind: true_false, text: Água apaga fogo elétrico?, right: false}
      - {kind: true_false, text: O triângulo vai longe?, right: true}
  - {title: Filme, type: VIDEO, file: film.webm, duration_minutes: 1}
  - {title: Folheto, type: DOCUMENT, file: paper.pdf, duration_minutes: 1}
  - {title: Texto, type: ARTICLE, duration_minutes: 1, body: "%s"}
"""
STATUS = {
    "1.2": {
        "incomplete": [("cmi.core.lesson_status", "incomplete")],
        "failed": [("cmi.core.score.raw", "50"), ("cmi.core.lesson_status", "failed")],
        "passed": [("cmi.core.score.raw", "80"), ("cmi.core.lesson_status", "passed")],
        "completed": [("cmi.core.lesson_status", "completed")],
    },
    "2004": {
        "incomplete": [("cmi.completion_status", "incomplete")],
        "failed": [
            *(("cmi.score.scaled", "0.5"), ("cmi.success_status", "failed")),
            ("cmi.completion_status", "completed"),
        ],
        "passed": [
            *(("cmi.score.scaled", "0.8"), ("cmi.success_status", "passed")),
            ("cmi.completion_status", "completed"),
        ],
        "completed": [("cmi.completion_status", "completed")],
    },
}


TRAIN = "done on the train"


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    folder = tmp_path_factory.mktemp("school")
    (folder / "film.webm").write_bytes(media_files.webm(60))
    (folder / "paper.pdf").write_bytes(media_files.pdf(4))
    (folder / "course.yaml").write_text(COURSE % ("palavra " * 600))
    with running(folder, TRILHA_LIMIT_LOGIN="1000/1m") as trilha:
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        scopes = "users:write,enrollments:write,courses:read"
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", scopes)
        file = ("--file", str(folder / "course.yaml"), "--publish")
        studies = trilha.command("course", "create", "--tenant", "acme", *file)
        listed = httpx2.get(
            f"{trilha.url}/v1/courses/{studies['id']}/modules",
            headers={"authorization": f"Bearer {made['key']}"},
        )
        names = ("quiz", "video", "document", "article")
        courses = {
            name: (studies["id"], module["id"])
            for name, module in zip(names, listed.json()["data"], strict=True)
        }
        for version in STATUS:
            (folder / version).write_bytes(sco(version))
            title = ("--title", version, "--publish", str(folder / version))
            course = trilha.command("course", "import", "--tenant", "acme", *title)
            courses[version] = (course["id"], course["modules"][0]["id"])
        yield School(trilha, made["key"], courses)


class Case(Struct):
    """One learner, one module of some kind, and the page that shows it."""

    school: School
    kind: str
    before: str
    learner: Learner
    visit: Visit
    held: float = 0.0

    async def query(self, statement: str) -> list[Any]:
        connection = await asyncpg.connect(self.school.trilha.database_url())
        try:
            return list(await connection.fetch(statement, self.learner.id))
        finally:
            await connection.close()


# The work with a connection, the work without one, and how much of it the server has: answers or seconds.


async def scorm_before(case: Case) -> None:
    await set_all(case, STATUS[case.kind][case.before])


async def scorm_offline(case: Case) -> None:
    inside = content(case.visit)
    await inside.get_by_role("button", name="answer").click()
    await set_all(case, [*STATUS[case.kind]["passed"], ("cmi.suspend_data", TRAIN)])


async def set_all(case: Case, pairs: list[tuple[str, str]]) -> None:
    frame = next(each for each in case.visit.page.frames if "/p/" in each.url)
    await frame.evaluate("(pairs) => { setAll(pairs); acts.commit(); }", pairs)


async def scorm_held(case: Case) -> float:
    rows = await case.query(
        """
        SELECT a.success, a.cmi, (SELECT count(*) FROM interactions i WHERE i.attempt_id = a.id) AS answers
        FROM attempts a WHERE a.enrollment_id = $1
        """
    )
    return max(
        (
            row["answers"]
            for row in rows
            if row["success"] == "passed" and json.loads(row["cmi"]).get("suspend_data") == TRAIN
        ),
        default=0,
    )


async def quiz_before(case: Case) -> None:
    if case.before == "failed":
        frame = case.visit.page.frame_locator("#content")
        await expect(frame.locator("#quiz[data-ready]")).to_be_attached()
        await frame.locator("[data-step='1']").click()
        await frame.locator("[data-hand-in]").click()
        await frame.locator("[data-confirm]").click()
        await frame.locator("[data-again]").click()
    await chosen(case.visit, "Falso")


async def quiz_offline(case: Case) -> None:
    await case.visit.page.frame_locator("#content").locator("[data-step='1']").click()
    await chosen(case.visit, "Verdadeiro")


async def quiz_held(case: Case) -> float:
    rows = await case.query(
        """
        SELECT count(*) AS answers FROM quiz_answers q JOIN attempts a ON a.id = q.attempt_id
        WHERE a.enrollment_id = $1 GROUP BY a.id ORDER BY max(a.number) DESC
        """
    )
    return float(rows[0]["answers"])


async def video_before(case: Case) -> None:
    await watched(case.visit, 3)


async def video_offline(case: Case) -> None:
    await watched(case.visit, 7)


async def video_held(case: Case) -> float:
    return sum(end - start for start, end in (await studied(case)).get("ranges", ()))


async def document_before(case: Case) -> None:
    frame = case.visit.page.frame_locator("#content")
    await expect(frame.locator("#told")).to_have_text("Páginas lidas: 1 de 4.", timeout=20_000)


async def document_offline(case: Case) -> None:
    frame = case.visit.page.frame_locator("#content")
    await frame.locator("#view").press("ArrowRight")
    await queued(case, '\\"2\\":2')


async def document_held(case: Case) -> float:
    return float(sum((await studied(case)).get("pages", {}).values()))


async def article_before(case: Case) -> None:
    await expect(case.visit.page.frame_locator("#content").locator("#told")).to_contain_text("%")
    await asyncio.to_thread(wait_until, lambda: asyncio.run(article_held(case)) > 0)


async def article_offline(case: Case) -> None:
    frame = case.visit.page.frame_locator("#content").locator("body")
    before = await frame.evaluate("() => performance.now()")
    # Three more seconds of reading, by the page's own clock.
    await case.visit.page.wait_for_function(f"() => performance.now() > {before + 4000}")
    await frame.evaluate("() => scrollTo(0, 200)")


async def article_held(case: Case) -> float:
    return float((await studied(case)).get("seconds", 0))


async def studied(case: Case) -> dict[str, Any]:
    rows = await case.query("SELECT studied FROM attempts WHERE enrollment_id = $1 ORDER BY number DESC")
    return json.loads(rows[0]["studied"] or "{}") if rows else {}


async def queue_of(case: Case) -> str:
    body = case.visit.page.frame_locator("#content").locator("body")
    text: str = await body.evaluate(
        """() => Object.keys(localStorage).filter((key) => key.startsWith("trilha.queue."))
            .map((key) => localStorage.getItem(key)).join()"""
    )
    return text


async def queued(case: Case, text: str) -> None:
    """Waits until the browser has stored it."""
    body: FrameLocator = case.visit.page.frame_locator("#content")
    await expect(body.locator("body")).to_be_attached()
    for _ in range(100):
        if text in await queue_of(case):
            return
        await case.visit.page.wait_for_timeout(100)
    raise AssertionError(await queue_of(case))


Act = Callable[[Case], Awaitable[Any]]
KINDS: dict[str, tuple[Act, Act, Act]] = {
    "1.2": (scorm_before, scorm_offline, scorm_held),
    "2004": (scorm_before, scorm_offline, scorm_held),
    "quiz": (quiz_before, quiz_offline, quiz_held),
    "video": (video_before, video_offline, video_held),
    "document": (document_before, document_offline, document_held),
    "article": (article_before, article_offline, article_held),
}

# The ways in which a page ends. Each returns the page in which the module is opened again.
End = Callable[[Case], Awaitable[Visit]]


async def work_offline(case: Case) -> None:
    await case.visit.page.context.set_offline(True)
    await KINDS[case.kind][1](case)
    await is_told(case.visit.page, "unsaved")


async def closed(case: Case) -> Visit:
    await work_offline(case)
    again = await tab(case.learner, case.visit.page.context)
    await leave_without_a_connection(case.visit.page)
    await again.page.context.set_offline(False)
    return again


async def browser_killed(case: Case) -> Visit:
    raise NotImplementedError  # a context cannot start another one: see `in_profile`


async def server_killed(case: Case) -> Visit:
    trilha = case.school.trilha
    family = [*psutil.Process(trilha.process.pid).children(recursive=True), trilha.postmaster()]
    await asyncio.to_thread(trilha.stop, signal.SIGKILL)
    kill(family)
    await KINDS[case.kind][1](case)
    await expect(case.visit.page.locator("#saved")).to_have_attribute("data-state", "unsaved", timeout=20_000)
    again = await tab(case.learner, case.visit.page.context)
    await leave_without_a_connection(case.visit.page)
    await asyncio.to_thread(trilha.start_again)
    return again


async def second_tab(case: Case) -> Visit:
    """The first tab stays open, and cannot send."""
    await case.visit.page.route("**/l/*/*", lambda route: route.abort())
    await KINDS[case.kind][1](case)
    await is_told(case.visit.page, "unsaved")
    return await tab(case.learner, case.visit.page.context)


ENDS: dict[str, End] = {
    "closed": closed,
    "browser-killed": browser_killed,
    "server-killed": server_killed,
    "second-tab": second_tab,
}
BEFORE = {
    "1.2": ("incomplete", "failed", "passed", "completed"),
    "2004": ("incomplete", "failed", "passed", "completed"),
    # A passed quiz shows its result, so there is nothing to do without a connection.
    "quiz": ("incomplete", "failed"),
    # These cannot be failed, and a completed one has nothing left to do.
    "video": ("incomplete",),
    "document": ("incomplete",),
    "article": ("incomplete",),
}
CELLS = [
    (kind, before, end) for kind, end in product(KINDS, [*ENDS, "second-device"]) for before in BEFORE[kind]
]
# These run in the suite; the rest takes some minutes.
SPREAD = {
    *(("1.2", "failed", "closed"), ("2004", "passed", "second-tab"), ("quiz", "incomplete", "closed")),
    *(("video", "incomplete", "closed"), ("document", "incomplete", "second-tab")),
    *(("1.2", "incomplete", "second-device"), ("2004", "failed", "second-device")),
}


def cells(*ends: str) -> list[Any]:
    return [
        pytest.param(*each, marks=[] if each in SPREAD else pytest.mark.long, id="-".join(each))
        for each in CELLS
        if each[2] in ends
    ]


@pytest.fixture
async def devices(launched: Browser, school: School) -> AsyncIterator[Callable[[], Any]]:
    async with contextlib.AsyncExitStack() as stack:

        async def device() -> BrowserContext:
            context = await new_context(launched, "desktop", base_url=school.trilha.url)
            return await stack.enter_async_context(context)

        yield device


async def begun(school: School, kind: str, before: str, context: BrowserContext) -> Case:
    """The work with a connection is saved."""
    learner = await school.learner(kind)
    case = Case(school, kind, before, learner, await opened(learner, context))
    await ready(case.visit, kind)
    await KINDS[kind][0](case)
    await is_saved(case.visit)
    case.held = await KINDS[kind][2](case)
    return case


async def ready(visit: Visit, kind: str) -> None:
    if kind in STATUS:
        await content(visit).locator("#said").wait_for()
    else:
        await visit.page.frame_locator("#content").locator("main").wait_for()


async def counts(case: Case) -> None:
    """Tells whether the server has applied a report of the latest launch."""
    for _ in range(100):
        rows = await case.query(
            "SELECT last_sequence FROM launches WHERE enrollment_id = $1 ORDER BY number DESC LIMIT 1"
        )
        if rows[0]["last_sequence"]:
            return
        await case.visit.page.wait_for_timeout(100)
    raise AssertionError(rows)


async def problems(again: Visit, case: Case) -> list[str]:
    """Returns what the page says was not saved before the module continues, and checks that it continues."""
    await again.go(case.learner.path)
    told = again.page.locator("held-work [data-problems] li")
    await expect(told.first.or_(again.page.locator("#content"))).to_be_attached(timeout=20_000)
    found = await told.all_inner_texts()
    if found:
        await again.press("Continuar")
    await expect(again.page.locator("#content")).to_be_attached(timeout=20_000)
    await expect(again.page.locator("#saved")).to_have_attribute("data-state", "saved")
    return found


async def check(again: Visit, case: Case) -> list[str]:
    """Checks that the server has what the page said: all of the work, or not a part of it."""
    told = await problems(again, case)
    kept = await case.query(
        "SELECT u.outcome FROM unapplied_reports u JOIN launches l ON l.id = u.launch_id"
        " WHERE l.enrollment_id = $1"
    )
    gained = await KINDS[case.kind][2](case) > case.held
    assert (gained, bool(kept)) == (not told, bool(told)), (told, kept)
    return told


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("kind", "before", "end"), cells("closed", "server-killed", "second-tab"))
async def test_work_without_a_connection_is_saved(
    school: School, devices: Callable[[], Any], kind: str, before: str, end: str
) -> None:
    case = await begun(school, kind, before, await devices())
    again = await ENDS[end](case)
    assert await check(again, case) == []


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("kind", "before", "end"), cells("browser-killed"))
async def test_work_is_saved_after_the_browser_was_killed(
    school: School, launched: Browser, tmp_path: Path, kind: str, before: str, end: str
) -> None:
    async with with_profile(tmp_path) as context:
        case = await begun(school, kind, before, context)
        cookies = await context.cookies()
        await work_offline(case)
        last = max(each["number"] for each in json.loads(await queue_of(case))["items"])
        # Browsers decide when they write a page's storage to the disk. Meanwhile, reports with the same
        # content replace earlier ones.
        written = [b'"number":%d,"kind"' % number for number in range(last, last + 10)]
        await asyncio.to_thread(wait_until, lambda: any(is_on_disk(tmp_path, each) for each in written), 60)
        await asyncio.to_thread(kill_browser, tmp_path)
    async with with_profile(tmp_path) as context:
        await context.add_cookies(cookies)  # type: ignore[arg-type]
        assert await check(await tab(case.learner, context), case) == []


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("kind", "before", "end"), cells("second-device"))
async def test_a_second_device_goes_on_meanwhile(
    school: School, devices: Callable[[], Any], kind: str, before: str, end: str
) -> None:
    """The work on the second device counts. The work on the first one does not count in the same attempt. It
    does count if the second device started another attempt, or is in a review.
    """
    case = await begun(school, kind, before, await devices())
    await work_offline(case)
    second = await opened(case.learner, await devices())
    await ready(second, kind)
    other = Case(school, kind, "incomplete", case.learner, second)
    if kind == "quiz":
        await chosen(second, "Falso") if before == "failed" else await chosen(second, "Verdadeiro")
    elif kind in STATUS:
        await set_all(other, STATUS[kind]["incomplete"])
    elif kind == "video":
        await watched(second, 4)
    elif kind == "document":
        await second.page.frame_locator("#content").locator("#view").press("End")
    else:
        await second.page.frame_locator("#content").locator("body").evaluate("() => scrollTo(0, 100)")
    await counts(other)
    await is_saved(second)
    case.held = await KINDS[kind][2](case)
    again = await tab(case.learner, case.visit.page.context)
    await leave_without_a_connection(case.visit.page)
    await again.page.context.set_offline(False)
    told = await check(again, case)
    same_attempt = before == "incomplete" or kind == "quiz"
    assert bool(told) == same_attempt, told
