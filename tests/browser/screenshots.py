"""Takes pictures of every page: `python -m browser.screenshots FOLDER [WORD …] [--look phone-en] [--chosen]`.

With words, it takes only pages and scenes whose name contains one of them.

It writes them into `FOLDER/every-page`, which git ignores, and copies those named in CHOSEN into FOLDER.

The pictures have the width of a phone and of a desktop, in both themes and both languages. They show the demo
in each of its roles, a new company, a company with very long texts, refused forms, pages that exist only
after some action, and the gallery for everything else.
"""

import asyncio
import base64
import json
import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser, Page

from browser.chromium import PAGES, WIDTHS, browser, gallery, new_context
from browser.companies import DEMO, EMAILS, LONG, Company, fill_with_long_words, found
from browser.every_page import Address, name_of, paths
from browser.scenes import SCENES, Scene, refusable, send_empty
from browser.visiting import Look, Visitor, visit
from running import Running, running
from trilha.core.clock import system_clock
from trilha.core.passwords import hash_password
from trilha.core.web.parsing import convert
from trilha.kit.page import Locale
from trilha.people.users.schema import Role
from trilha.platform.tenants.operator import operator
from trilha.platform.tenants.schema import NewTenant
from trilha.runtime import logins_of, open_database, owner_url
from trilha.settings import load

AT_ONCE = 3  # how many people's pages are taken at once; a machine with two cores cannot do more
QUALITY = 70  # of WebP, in percent
MOST_PIXELS = 6000  # maximum height; longer pages only repeat themselves
# The pictures in the repository. With all of them, every change of a style sheet would add some megabytes.
CHOSEN = (
    "demo-admin-admin",
    "demo-admin-admin-people",
    "demo-admin-admin-reports",
    "demo-admin-admin-reports-deadlines",
    "demo-gestor-admin",
    "demo-instrutor-admin",
    "demo-learner-learn",
    "demo-learner-learn-catalog",
    "demo-learner-learn-certificates",
    "demo-learner-learn-enrollments-id",
    "demo-learner-learn-enrollments-id-modules-id-done",
    "demo-learner-learn-paths-id",
)
LOCALES: tuple[Locale, ...] = ("pt-BR", "en")
PASSWORD = "correct horse battery"
# A background tab draws only when a picture is taken: once when the colors start to change, and once at the
# end.
_SETTLE = """() => {
    for (const each of document.getAnimations())
        if (each.effect?.getComputedTiming().endTime !== Infinity) each.finish();
}"""
_CORNER = {"clip": {"x": 0, "y": 0, "width": 9, "height": 9, "scale": 1}}


class Camera:
    """Writes `<page>-<size>-<theme>-<locale>.webp` into a folder."""

    def __init__(self, folder: Path, words: Sequence[str], *, chosen: bool = False) -> None:
        """With `chosen`, it takes only the pages in CHOSEN."""
        self._folder = folder
        self._words = words
        self._chosen = chosen
        folder.mkdir(parents=True, exist_ok=True)

    def wants(self, name: str) -> bool:
        """Tells whether a picture of the page or scene with this name is wanted."""
        if self._chosen:
            return name in CHOSEN
        return any(word in name for word in self._words)

    async def take(self, tab: Page, name: str, look: Look) -> None:
        """Takes the page in both themes, which switch without a reload."""
        if self._chosen and name not in CHOSEN and not name.endswith("-failed"):
            return
        before = tab.viewport_size
        assert before
        height = await tab.evaluate("document.documentElement.scrollHeight")
        # The window is as tall as the page, so that elements fixed to an edge are at the edge of the picture.
        await tab.set_viewport_size(before | {"height": min(height, MOST_PIXELS)})  # type: ignore[arg-type]
        session = await tab.context.new_cdp_session(tab)
        for theme in ("light", "dark"):
            await tab.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
            await session.send("Page.captureScreenshot", _CORNER)
            for frame in tab.frames:
                await frame.evaluate(_SETTLE)
            shot = await session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
            path = self._folder / f"{name}-{look.size}-{theme}-{look.locale}.webp"
            path.write_bytes(base64.b64decode(shot["data"]))
        await session.detach()
        await tab.set_viewport_size(before)


class Sitter(NamedTuple):
    """A person whose pages are taken. The names of the pictures start with `prefix`."""

    prefix: str
    company: Company
    role: Role | None


class Album:
    """All pictures of one server."""

    def __init__(self, launched: Browser, address: str, camera: Camera, looks: Sequence[Look]) -> None:
        self._launched = launched
        self._address = address
        self._camera = camera
        self._looks = looks
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def fill(self, companies: Mapping[str, Company]) -> None:
        sitters = [
            Sitter(f"{name}-{role or 'nobody'}", company, role)
            for name, company in companies.items()
            for role in (None, *company.emails)
        ]
        await asyncio.gather(*(self._sit(each) for each in sitters))

    async def _sit(self, sitter: Sitter) -> None:
        """Takes the looks one after another, because some scenes change what the same person sees."""
        scenes = self._scenes_of(sitter)
        names = {f"{sitter.prefix}-{name_of(path)}" for path, _ in paths(sitter.role)}
        wanted = any(self._camera.wants(each) for name in names for each in (name, f"{name}-refused"))
        addresses: list[Address] | None = None
        for look in self._looks if wanted or scenes else ():
            async with self._turns:
                visitor = await visit(self._launched, self._address, sitter.company, sitter.role, look)
                if wanted and addresses is None:
                    addresses = await visitor.pages()
                tab = await visitor.context.new_page()
                for each in addresses or ():
                    await self._page(tab, each, sitter.prefix, look)
                for scene in scenes:
                    await self._scene(scene, visitor, tab, sitter.prefix, look)
                await visitor.context.close()

    def _scenes_of(self, sitter: Sitter) -> list[Scene]:
        """Plays the scenes of the demo. A scene names its states only while it runs, so it has a name too."""
        if not sitter.prefix.startswith("demo"):
            return []
        every = SCENES.get(sitter.role, ())
        return [each for each in every if self._camera.wants(f"{sitter.prefix}-{each.__name__}")]

    async def _page(self, tab: Page, page: Address, prefix: str, look: Look) -> None:
        name = f"{prefix}-{page.name}"
        if not (self._camera.wants(name) or self._camera.wants(f"{name}-refused")):
            return
        await tab.goto(page.url)
        if self._camera.wants(name):
            await self._camera.take(tab, name, look)
        if prefix.startswith("demo") and refusable(page) and await send_empty(tab, page):
            await self._camera.take(tab, f"{name}-refused", look)

    async def _scene(self, scene: Scene, visitor: Visitor, tab: Page, prefix: str, look: Look) -> None:
        try:
            async for name in scene(tab, visitor):
                await self._camera.take(tab, f"{prefix}-{name}", look)
        except Exception as error:
            print(f"{prefix} {scene.__name__} {look} at {tab.url}: {error}", file=sys.stderr)
            await self._camera.take(tab, f"{prefix}-{scene.__name__}-failed", look)


async def _companies(server: Running) -> dict[str, Company]:
    """Creates the demo, a new company, and a company with very long texts."""
    settings = load(server.environment)
    password = json.loads((server.folder / "data" / "demo.json").read_text())["admin_password"]
    hashed = await hash_password(PASSWORD)
    with owner_url(settings) as url:
        async with open_database(settings, logins_of(settings, url)) as database:
            for slug, name, fill in (("fresh", "Padaria Nova", found), ("long", LONG, fill_with_long_words)):
                async with operator(url, system_clock) as each:
                    new = convert(NewTenant, {"slug": slug, "name": name}, system_clock().date())
                    tenant = await each.create(new)
                async with database.transaction(tenant.id) as tx:
                    await fill(tx, settings, hashed)
    return {
        "demo": Company("demo", DEMO, password),
        "fresh": Company("fresh", {"admin": EMAILS["admin"]}, PASSWORD),
        "long": Company("long", EMAILS, PASSWORD),
    }


async def _gallery(launched: Browser, camera: Camera) -> None:
    wanted = {f"gallery-{name}": path for name, path in PAGES.items() if camera.wants(f"gallery-{name}")}
    if not wanted:
        return
    with gallery() as address:
        for size in WIDTHS:
            context = await new_context(launched, size)
            tab = await context.new_page()
            for name, path in wanted.items():
                await tab.goto(address + path)
                await camera.take(tab, name, Look(size))
            await context.close()


LOOKS = {f"{size}-{locale}": Look(size, "light", locale) for size in WIDTHS for locale in LOCALES}


async def take_all(server: Running, camera: Camera, looks: Sequence[Look]) -> None:
    companies = await _companies(server)
    async with browser() as launched:
        await Album(launched, server.url, camera, looks).fill(companies)
        await _gallery(launched, camera)


def keep_chosen(folder: Path) -> None:
    """Copies the chosen pictures: desktop in English, phone in Portuguese."""
    for name in CHOSEN:
        for look in ("desktop-light-en", "desktop-dark-en", "phone-light-pt-BR", "phone-dark-pt-BR"):
            picture = folder / "every-page" / f"{name}-{look}.webp"
            if picture.exists():
                shutil.copy(picture, folder)


def main(folder: Path, words: Sequence[str], looks: Sequence[Look], *, chosen: bool = False) -> None:
    with (
        tempfile.TemporaryDirectory() as data,
        running(Path(data), "--demo", TRILHA_LIMIT_LOGIN="1000000/15m") as server,
    ):
        asyncio.run(take_all(server, Camera(folder / "every-page", words, chosen=chosen), looks))
    keep_chosen(folder)


if __name__ == "__main__":
    arguments = ArgumentParser(prog="python -m browser.screenshots")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("words", nargs="*", help="parts of the names of pages and scenes")
    arguments.add_argument("--look", choices=LOOKS, action="append", help="only this one; may be repeated")
    arguments.add_argument("--chosen", action="store_true", help="only what the repository keeps")
    asked = arguments.parse_args()
    wanted = [LOOKS[each] for each in asked.look or LOOKS]
    main(asked.folder, asked.words or [""], wanted, chosen=asked.chosen)
