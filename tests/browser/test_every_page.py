"""Checks every page of the product on a phone and on a desktop; the long form checks it for every person who
may open it.

A new page needs nothing here, because its route is known. Routes that are not pages, and pages that exist
only after some action, are named in `every_page`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from browser.chromium import WIDTHS
from browser.companies import DEMO, EMAILS, Company, fill_with_long_words, found
from browser.every_page import AFTER, PARTS, Address, declared, paths
from browser.federated import federate
from browser.learning_records import add_usual_records
from browser.nu import nu_faults
from browser.scenes import BY_WORKER, SCENES
from browser.usable import Heard, layout_faults, serious_faults, zoom_faults
from browser.visiting import Look, Visitor, visit
from conftest import Clock, new_world
from trilha.cli.demo.history import Year
from trilha.cli.demo.playable import SLUG, add_playable_course
from trilha.core.database import Database, Tx
from trilha.core.passwords import HashedPassword, hash_password
from trilha.people.users.schema import Role
from trilha.settings import Settings
from trilha.training.learning.launches.actions import launch
from trilha.training.learning.launches.schema import LaunchClient
from trilha.web.panel import choices

PASSWORD = "correct horse"
TABS = 2
# One look for each person of the demo, so that each variant is used for some pages.
_LOOKS: dict[Role | None, Look] = {
    None: Look("phone"),
    "admin": Look("phone", "dark", "en"),
    "gestor": Look("phone", "light", "en"),
    "instrutor": Look("phone", "dark"),
    "learner": Look("phone", "dark"),
}
_EMAILS = {"demo": DEMO, "long": EMAILS, "fresh": {"admin": EMAILS["admin"]}}
# In the demo, managers and instructors are on no path and have no certificate, and nobody teaches the course
# that is opened there.
_CLASSES = ("/learn/courses/{course_id}/classes", "/learn/courses/{course_id}/classes/{class_id}/cancel")
_NOT_THEIRS: dict[Role | None, set[str]] = {
    "admin": {
        "/learn/paths/{path_id}",
        "/learn/certificates/{certificate_id}",
        *_CLASSES,
    },
    "gestor": {"/learn/paths/{path_id}", "/learn/certificates/{certificate_id}", *_CLASSES},
    "instrutor": {
        *_CLASSES,
        "/learn/paths/{path_id}",
        "/learn/certificates/{certificate_id}",
        "/admin/packages/{package_id}",
        "/admin/enrollments/{enrollment_id}/launches/{launch_id}",
    },
}
Make = Callable[[str], Awaitable[Company]]
Judge = Callable[[Page, Look], Awaitable[list[str]]]


@pytest.fixture(scope="module")
def made() -> dict[str, Company]:
    return {}


@pytest.fixture
async def demo(company: Make, made: dict[str, Company], request: pytest.FixtureRequest) -> Company:
    """Creates one company for all short forms, because creating it takes longer than checking it.

    A test that is tried once more gets a new one, because it has already changed the first.
    """
    if "demo" not in made or getattr(request.node, "execution_count", 1) > 1:
        made["demo"] = await company("demo")
    return made["demo"]


@pytest.fixture
def company(database_url: str, database: Database, clock: Clock, app: Any, settings: Settings) -> Make:
    """Returns a function that creates a company: the demo, a new one, or one with very long texts."""

    async def make(kind: str) -> Company:
        world = await new_world(database_url, database, clock, app)
        await world.http.aclose()
        async with world.tx() as tx:
            await _fill(kind, tx, settings, await hash_password(PASSWORD))
        if kind == "demo":
            await add_playable_course(settings, database, world.tenant.id)
            async with world.tx() as tx:
                await _play(tx)
                await federate(tx)
                await add_usual_records(tx)
        return Company(world.tenant.slug, _EMAILS[kind], PASSWORD)

    return make


async def _fill(kind: str, tx: Tx, settings: Settings, password: HashedPassword) -> None:
    if kind == "demo":
        await Year(tx, settings, password).play()
    elif kind == "long":
        await fill_with_long_words(tx, settings, password)
    else:
        await found(tx, settings, password)


async def _play(tx: Tx) -> None:
    """Opens the playable course as each person who is enrolled in it."""
    rows = await tx.rows(
        """
        SELECT e.user_id, e.id AS enrollment_id, m.id AS module_id
        FROM enrollments e JOIN modules m ON m.tenant_id = e.tenant_id AND m.course_id = e.course_id
        JOIN courses c ON c.tenant_id = e.tenant_id AND c.id = e.course_id
        WHERE e.tenant_id = :tenant AND c.slug = :slug
        """,
        slug=SLUG,
    )
    for row in rows:
        await launch(tx, **row, client=LaunchClient("203.0.113.9", "Mozilla/5.0"))


class Walk:
    """Checks the pages of one company, in a few tabs at a time."""

    def __init__(self, launched: Browser, address: str, company: Company, axe: str) -> None:
        self._launched = launched
        self._address = address
        self._company = company
        self._axe = axe
        self._tried: set[tuple[Look, str]] = set()
        self.wrong: list[str] = []
        self.html: dict[str, str] = {}  # by address and person
        self.walked: dict[Role | None, set[str]] = {}

    async def everybody(self, look: Look, judge: Judge) -> None:
        """Checks every page for every person who may open it."""
        for role in (None, *self._company.emails):
            visitor, open_to_them = await self._enter(role, look)
            await self._through(open_to_them, visitor, look, judge)

    async def by_turns(self, looks: Mapping[Role | None, Look], judge: Judge) -> None:
        """Checks every page once. Pages that several people may open are distributed among them."""
        entered = {role: await self._enter(role, looks[role]) for role in (None, *self._company.emails)}
        openers: dict[str, list[Role | None]] = {}
        for role, (_, open_to_them) in entered.items():
            for each in open_to_them:
                openers.setdefault(each.path, []).append(role)
        taken: dict[Role | None, set[str]] = {role: set() for role in entered}
        for path, roles in sorted(openers.items(), key=lambda each: len(each[1])):
            min((taken[role] for role in roles), key=len).add(path)
        for role, (visitor, open_to_them) in entered.items():
            theirs = [each for each in open_to_them if each.path in taken[role]]
            await self._through(theirs, visitor, looks[role], judge)

    async def _enter(self, role: Role | None, look: Look) -> tuple[Visitor, list[Address]]:
        """Signs in and lists all pages for this role."""
        # Pages are measured as at a first visit, because a worker's files have no compressed size.
        visitor = await visit(
            self._launched, self._address, self._company, role, look, service_workers="block"
        )
        open_to_them = await visitor.pages()
        self.walked.setdefault(role, set()).update(each.path for each in open_to_them)
        return visitor, open_to_them

    async def _through(self, pages: list[Address], visitor: Visitor, look: Look, judge: Judge) -> None:
        waiting = iter(pages)
        # this fits most pages, so it is tried before each single page
        await visitor.context.add_init_script(self._axe)
        tabs = [await visitor.context.new_page() for _ in range(TABS)]
        who = f"{visitor.role} {look}"
        await asyncio.gather(*(self._in(tab, waiting, who, look, judge) for tab in tabs))
        await visitor.context.close()

    async def _in(self, tab: Page, waiting: Iterator[Address], who: str, look: Look, judge: Judge) -> None:
        heard = Heard(tab)
        for each in waiting:
            answer = await tab.goto(each.url)
            wrong = await judge(tab, look)
            if (look, each.path) not in self._tried:  # slow, and nearly the same for every role
                self._tried.add((look, each.path))
                assert answer
                self.html[f"{each.url} {who}"] = await answer.text()
                wrong += await serious_faults(tab, self._axe)
            self.wrong += [f"{each.url} {who}: {words}" for words in (*wrong, *heard.said)]
            heard.said.clear()
        # Content in the player has its own host.
        asked = {each for each in heard.hosts if ".content.localhost:" not in each}
        if asked - {self._address.partition("//")[2]}:
            self.wrong.append(f"{who}: asked {heard.hosts}")


async def at_both_widths(tab: Page, look: Look) -> list[str]:
    """Checks a page at the width of a phone and then of a desktop; the next page starts at the desktop's
    width.

    This is faster than loading each page twice, or making each page narrow again.
    """
    size = tab.viewport_size
    assert size
    first, then = sorted(("phone", "desktop"), key=lambda each: WIDTHS[each] != size["width"])
    wrong = await _at_width(tab, first, look)
    await tab.set_viewport_size(size | {"width": WIDTHS[then]})  # type: ignore[arg-type]
    return wrong + await _at_width(tab, then, look)


async def _at_width(tab: Page, size: str, look: Look) -> list[str]:
    faults = await layout_faults(tab, size, look.locale)
    return faults if size == look.size else [f"wide: {each}" for each in faults]


async def as_it_is(tab: Page, look: Look) -> list[str]:
    """Checks a desktop page, also enlarged."""
    wrong = await layout_faults(tab, look.size, look.locale)
    return wrong + (await zoom_faults(tab) if look.size == "desktop" else [])


def test_what_is_no_page_is_still_there() -> None:
    """The lists of exceptions contain no page that does not exist."""
    assert {path for path in (*PARTS, *AFTER) if ("GET", path) not in declared()} == set()


@pytest.mark.timeout(900)
async def test_every_page_of_the_demo(
    launched: Browser, address: str, axe: str, demo: Company, tmp_path: Path
) -> None:
    walk = Walk(launched, address, demo, axe)
    await walk.by_turns(_LOOKS, at_both_widths)
    assert not walk.wrong, "\n".join(walk.wrong)
    for role in (None, *demo.emails):
        not_theirs = _NOT_THEIRS.get(role, set())
        assert (role, {path for path, _ in paths(role)} - walk.walked[role]) == (role, not_theirs)
    faults = nu_faults(walk.html, tmp_path)
    assert not faults, "\n".join(faults)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("role", SCENES)
async def test_what_comes_after_something_was_done(
    launched: Browser, address: str, axe: str, demo: Company, role: Role | None
) -> None:
    look, wrong = Look("phone"), list[str]()
    visitor = await visit(launched, address, demo, role, look)
    await visitor.context.add_init_script(axe)
    tab = await visitor.context.new_page()
    for scene in SCENES[role]:
        if scene not in BY_WORKER:
            async for name in scene(tab, visitor):
                faults = [*await layout_faults(tab, look.size), *await serious_faults(tab, axe)]
                wrong += [f"{name}: {words}" for words in faults]
    await visitor.context.close()
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", ["demo", "fresh", "long"])
async def test_every_page_in_every_look(
    launched: Browser,
    address: str,
    axe: str,
    company: Make,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    if kind == "long":
        monkeypatch.setattr(choices, "MAX_OPTIONS", 2)  # so that filters become searchable
    walk = Walk(launched, address, await company(kind), axe)
    for size, theme, locale in product(WIDTHS, ("light", "dark"), ("pt-BR", "en")):
        await walk.everybody(Look(size, theme, locale), as_it_is)  # type: ignore[arg-type]
    assert not walk.wrong, "\n".join(walk.wrong)
    faults = nu_faults(walk.html, tmp_path)
    assert not faults, "\n".join(faults)
