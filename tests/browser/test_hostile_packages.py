"""A hostile package in a learner's player cannot reach the application or other packages."""

import json
import os
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page, async_playwright, expect

from browser import chromium
from browser.flows import Visit
from browser.serving import serving
from browser.test_playing_scorm import content
from conftest import Clock, World
from running import free_port
from training.scorm.packages import manifest, zipped
from trilha.app import create_app
from trilha.core.database import Database
from trilha.people.users.schema import User
from trilha.settings import Settings
from web.panel.signing_in import browser_of, made
from web.player.contents import page as page_of_sco
from web.player.playing import Enrolled, enrolled, taught

HOSTILE = Path(__file__).parent / "hostile"
PAGES = ("/learn", "/admin", "/api/auth/session", "/v1/users", "/docs")
PICTURE = ("picture.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
# Data of a package that others might want.
SECRET = """
localStorage.setItem("secret", "of another");
indexedDB.open("secret");
caches.open("secret");
"""
OWN = {"own file": "200", "own picture": "load", "own storage": "kept"}
APPLICATION = {
    **dict.fromkeys(
        (
            *("document", "document of the parent's parent", "cookies of the document", "script"),
            *("local storage", "session storage", "databases", "element of the application"),
            *("domain", "frame", "popup"),
        ),
        "SecurityError",
    ),
    "frame element": "null",
    "own cookies": "",
    "cookies of the frame's page": "",
    "image": "error",
    "script of a page": "error",
    "style of a page": "error",
}
NAVIGATION = {
    **dict.fromkeys(
        (
            *("navigate", "navigate by href", "navigate by replace", "navigate by a script"),
            "navigate by reload",
        ),
        "SecurityError",
    ),
    "navigate by name": "undefined",
    "navigate by link": "nothing",
    "navigate by form": "nothing",
}
ANSWERS = {
    f"{how} {path}": got
    for path in PAGES
    for how, got in {"fetch": "TypeError", "request": "error", "own": "404"}.items()
}
FORMS = dict.fromkeys(("form to /learn", "form to /admin", "form to /logout"), "form-action")
OTHERS = {
    "another's local storage": "null",
    "another's databases": "",
    "another's caches": "",
    **dict.fromkeys(("another's frame", "another's popup"), "SecurityError"),
    "another's files in a frame": "TypeError",
    **dict.fromkeys(("another's launch", "another's file", "own token there"), "TypeError"),
    "another's file as an image": "error",
    **dict.fromkeys(("another's token", "another's token for a file", "another's token for a commit"), "404"),
}

WORKERS = {
    **dict.fromkeys(
        (
            *("service worker", "service worker above", "service worker as a module"),
            *("service worker of the frame's page", "service worker of the player's own"),
            "service worker of a blob",
        ),
        "TypeError",
    ),
    "service workers": "0",
}
# The state of the attempt, and nothing else.
MESSAGES = {"messages": "[]"}


def hostile() -> bytes:
    files = [(each.name, each.read_bytes()) for each in sorted(HOSTILE.iterdir())]
    return zipped([("imsmanifest.xml", manifest()), ("worker.js", "self.skipWaiting()"), PICTURE, *files])


def good() -> bytes:
    return zipped([("imsmanifest.xml", manifest()), ("index.html", page_of_sco("1.2", SECRET)), PICTURE])


class Attack:
    """A learner's browser in which a good package was open before a hostile one."""

    def __init__(self, visit: Visit, learner: Enrolled, user: User, other: str) -> None:
        self.visit = visit
        self.learner = learner
        self.user = user
        self.other = other

    @property
    def page(self) -> Page:
        return self.visit.page

    async def outcomes(self) -> dict[str, str]:
        inside = content(self.visit)
        given = {
            "application": self.visit.address,
            "user": str(self.user.id),
            "other": self.other,
            "token": re.findall(r"/l/([^/]+)/", self.other)[0],
        }
        await inside.locator("body").evaluate("(_, given) => { window.given = given }", given)
        await inside.get_by_role("button", name="attack").click()
        await expect(inside.locator("#outcomes")).to_have_attribute("data-done", "", timeout=120_000)
        told: dict[str, str] = json.loads(await inside.locator("#outcomes").text_content() or "")
        return told


async def address_of_content(page: Page) -> str:
    source = await page.locator("#content").get_attribute("src")
    assert source
    return source.partition("?")[0]


# Browsers that let embedded content of another site store data, as most do by default.
PREFERENCES = {"profile": {"cookie_controls_mode": 0, "block_third_party_cookies": False}}


_SITES = {"another-site": "127.0.0.1", "same-site": "content.localhost"}
on_every_site = pytest.mark.parametrize("place", _SITES.values(), ids=_SITES, indirect=True)
# The short form uses a browser that sends the session's cookie, the long form also one that does not.
where_cookies_come = pytest.mark.parametrize(
    "place",
    [
        pytest.param(name, id=site, marks=[] if site == "same-site" else [pytest.mark.long])
        for site, name in _SITES.items()
    ],
    indirect=True,
)


@pytest.fixture
async def place(
    request: pytest.FixtureRequest, settings: Settings, database: Database, clock: Clock
) -> AsyncIterator[str]:
    """Returns the address of the application. A host name above those of content makes them one site: then
    browsers send the session's cookie with requests of content.
    """
    port = free_port()
    address = f"http://{request.param}:{port}"
    async with serving(create_app(replace(settings, base_url=address), database, clock), port):
        yield address


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[BrowserContext]:
    """Starts a browser that is not in private mode."""
    if chromium.CHROMIUM is None and "CI" not in os.environ:
        pytest.skip("there is no chromium here: apt-get install chromium")
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(PREFERENCES))
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            tmp_path,
            executable_path=chromium.CHROMIUM,
            args=["--no-sandbox", "--disable-gpu"],
            locale="pt-BR",
        )
        yield context
        await context.close()


@pytest.fixture
async def attack(world: World, settings: Settings, place: str, browser: BrowserContext) -> Attack:
    user = await made(world, "learner")
    visit = Visit(browser.pages[0], place)
    client = await browser_of(world, user, "pt-BR")
    await browser.add_cookies(
        [{"name": each.name, "value": each.value or "", "url": place} for each in client.cookies.jar]
    )
    await client.aclose()
    other = await enrolled(world, await taught(world, settings, good()), user)
    await visit.go(other.path())
    await expect(content(visit).locator("#said")).to_have_text("ab-initio|")
    kept = await content(visit).locator("body").evaluate("() => localStorage.getItem('secret')")
    assert kept == "of another"
    there = await address_of_content(visit.page)
    bad = await enrolled(world, await taught(world, settings, hostile()), user)
    await visit.go(bad.path())
    await expect(content(visit).get_by_role("button", name="attack")).to_be_visible()
    await visit.page.evaluate("window.here = 'the same page'")
    assert (await address_of_content(visit.page)).split("/")[2] != there.split("/")[2]
    return Attack(visit, bad, user, there)


async def names_of(attack: Attack) -> list[str]:
    async with attack.learner.world.tx() as tx:
        rows = await tx.rows("SELECT name FROM users WHERE tenant_id = :tenant ORDER BY name")
    return [row["name"] for row in rows]


@on_every_site
async def test_nothing_of_the_application_or_of_others_is_within_reach(attack: Attack) -> None:
    page, address = attack.page, attack.visit.address
    other_queue = "localStorage.setItem('trilha.queue.another.2', 'of another')"
    await page.evaluate(other_queue)
    kept, names = await page.evaluate("Object.entries(localStorage)"), await names_of(attack)
    cookies = await page.context.cookies(address)
    outcomes = await attack.outcomes()
    for expected in (OWN, APPLICATION, NAVIGATION, ANSWERS, FORMS, OTHERS, WORKERS, MESSAGES):
        assert {name: outcomes.get(name) for name in expected} == expected
    # The learner still has the same page open.
    await attack.visit.is_at(attack.learner.path())
    assert await page.evaluate("window.here") == "the same page"
    assert await page.evaluate("Object.entries(localStorage)") == kept
    assert await page.locator(".player__told").text_content() == ""
    # No frame contains a page of the application, and no request was sent in the learner's name.
    assert [each.url for each in page.frames[1:] if each.url.startswith(address)] == []
    assert await page.context.cookies(address) == cookies
    assert await names_of(attack) == names
    await attack.visit.go("/learn")
    await attack.visit.is_at("/learn")
    await expect(page.locator("html")).to_have_attribute("lang", "pt-BR")


@where_cookies_come
async def test_going_back_does_not_leave_the_player(attack: Attack) -> None:
    page = attack.page
    inside = content(attack.visit).locator("body")
    await inside.evaluate("() => { history.back(); parent.history.go(-2) }")
    await inside.evaluate("() => new Promise((done) => setTimeout(done, 500))")
    await attack.visit.is_at(attack.learner.path())
    assert await page.evaluate("window.here") == "the same page"


@where_cookies_come
async def test_the_players_frame_shows_nothing_of_the_application(attack: Attack) -> None:
    page, address = attack.page, attack.visit.address
    for path in ("/learn", "/login", "/docs"):
        await attack.visit.go(attack.learner.path())
        await expect(content(attack.visit).locator("button")).to_be_visible()
        # Tries to add a script to the page around it, as `inside.js` does.
        around = page.frame_locator("#content").locator("body")
        await around.evaluate("(_, to) => { setTimeout(() => { location = to }) }", address + path)
        await expect(page.frame_locator("#content").locator("#sco")).to_have_count(0)
        assert [each.url for each in page.frames[1:] if each.url.startswith(address)] == []
