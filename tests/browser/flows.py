"""Pages of a browser that record their complaints: console, content security policy and scripts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, expect

from browser.chromium import new_context
from browser.serving import serving
from browser.usable import serious_faults
from conftest import World
from trilha.people.users.schema import Role, User
from web.panel.signing_in import PASSWORD, browser_of, made


@pytest.fixture(scope="session")
async def address(app: Any) -> AsyncIterator[str]:
    """Returns the address of a server that all tests of a process share."""
    async with serving(app) as address:
        yield address


class Visit:
    """A browser page and its complaints."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.said: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(str(error)))

    def _hear(self, message: ConsoleMessage) -> None:
        # The browser logs answers with 404 and 422.
        if message.type in ("error", "warning") and "responded with a status of 4" not in message.text:
            self.said.append(message.text)

    async def go(self, path: str) -> None:
        """Opens a page. `path` may be a full address, as in a mail, whose server has another address in
        tests.
        """
        parts = urlsplit(path)
        await self.page.goto(self.address + parts.path + (f"?{parts.query}" if parts.query else ""))

    async def press(self, name: str) -> None:
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def follow(self, name: str) -> None:
        await self.page.get_by_role("link", name=name, exact=True).first.click()

    async def fill(self, **fields: str) -> None:
        """Fills in fields by their names."""
        for name, value in fields.items():
            await self.page.locator(f"main [name={name}]").first.fill(value)

    async def send(self, **fields: str) -> None:
        """Submits the main form of the page, whatever its button is called, so that a flow runs in either
        language.
        """
        await self.fill(**fields)
        await self.page.locator("main form .btn--primary, main form .btn--danger").first.click()

    async def sign_out(self) -> None:
        await self.page.locator(".account__button").click()
        await self.page.locator("form[action='/logout'] button").click()

    async def is_usable(self, axe: str) -> None:
        wide = await self.page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        faults = [f"{wide} px to the side"] if wide > 0 else []
        assert faults + await serious_faults(self.page, axe) == [], self.page.url

    async def sign_in(self, world: World, email: str, password: str = PASSWORD) -> None:
        await self.go(f"/login?tenant={world.tenant.slug}")
        await self.send(email=email, password=password)

    async def is_at(self, path: str) -> None:
        await expect(self.page).to_have_url(self.address + path)

    async def is_titled(self, text: str) -> None:
        await expect(self.page.get_by_role("heading", level=1)).to_have_text(text)

    async def is_told(self, text: str) -> None:
        """Checks the notice on the page that follows a form."""
        await expect(self.page.locator("#flash")).to_contain_text(text)

    async def is_refused(self, text: str) -> None:
        await expect(self.page.get_by_role("alert").first).to_contain_text(text)

    async def download(self, link: str) -> list[str]:
        """Returns the lines of a downloaded spreadsheet file."""
        async with self.page.expect_download() as downloading:
            await self.follow(link)
        path = await (await downloading.value).path()
        return (await asyncio.to_thread(path.read_text, "utf-8-sig")).splitlines()

    def rows(self) -> Locator:
        """Returns the names in the rows of a list."""
        return self.page.get_by_role("rowheader")

    async def lists(self, *names: str) -> None:
        """Checks that exactly these rows are listed, in this order."""
        await expect(self.rows()).to_have_count(len(names))
        for each, name in zip(await self.rows().all(), names, strict=True):
            await expect(each).to_contain_text(name)


Visits = Callable[..., Awaitable[Visit]]


@pytest.fixture
async def visits(launched: Browser, address: str) -> AsyncIterator[Visits]:
    """Returns a function that opens pages without a sign-in; `at` is the address of another server.

    Fails the test at the end if any page complained.
    """
    made_here: list[Visit] = []

    async def visit(size: str = "desktop", theme: str = "light", **options: Any) -> Visit:
        at = options.pop("at", address)
        context = await new_context(launched, size, theme, base_url=at, **options)
        made_here.append(Visit(await context.new_page(), at))
        return made_here[-1]

    yield visit
    for each in made_here:
        await each.page.context.close()
    assert [each.said for each in made_here if each.said] == []


Entering = Callable[..., Awaitable[Visit]]


@pytest.fixture
def entered(world: World, visits: Visits) -> Entering:
    """Returns a function that opens pages for a new, signed-in person, without using the sign-in pages."""

    async def enter(
        role: Role = "admin",
        size: str = "desktop",
        *,
        locale: str = "pt-BR",
        scripts: bool = True,
        **members: Any,
    ) -> Visit:
        user = await made(world, role, **members)
        return await enter_as(world, visits, user, size, locale=locale, scripts=scripts)

    return enter


async def enter_as(
    world: World,
    visits: Visits,
    user: User,
    size: str = "desktop",
    *,
    locale: str = "pt-BR",
    scripts: bool = True,
) -> Visit:
    visit = await visits(size, java_script_enabled=scripts, locale=locale)
    client = await browser_of(world, user, locale)
    cookies = [(each.name, each.value or "") for each in client.cookies.jar]
    await client.aclose()
    await visit.page.context.add_cookies(
        [{"name": name, "value": value, "url": visit.address} for name, value in cookies]
    )
    return visit
