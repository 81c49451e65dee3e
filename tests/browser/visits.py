"""What a person does in a browser of their own, and what the browser complains about meanwhile."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.async_api import Locator, Page, expect

from browser.usable import Heard, serious_faults

if TYPE_CHECKING:
    from conftest import World

PASSWORD = "correct horse"


class Visit:
    """One browser's page at one server."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self._heard = Heard(page)

    @property
    def said(self) -> list[str]:
        """By the console, the policy, scripts that failed."""
        return self._heard.said

    async def go(self, path: str) -> None:
        """`path` may be a whole address, as a mailed link is: the server has another one in tests."""
        parts = urlsplit(path)
        await self.page.goto(self.address + parts.path + (f"?{parts.query}" if parts.query else ""))

    async def press(self, name: str) -> None:
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def send(self, **fields: str) -> None:
        """The main form, by the names of its fields: it has others in another language."""
        form = self.page.locator("main form", has=self.page.locator(".btn--primary, .btn--danger")).first
        for name, value in fields.items():
            field = form.locator(f"[name={name}]")
            if await field.evaluate("(each) => each.tagName") == "SELECT":
                await field.select_option(value)
            else:
                await field.fill(value)
        await form.locator(".btn--primary, .btn--danger").first.click()

    async def sign_in(self, world: "World", email: str, password: str = PASSWORD) -> None:
        await self.go(f"/login?tenant={world.tenant.slug}")
        await self.send(email=email, password=password)

    async def sign_out(self) -> None:
        await self.page.locator(".account__button").click()
        await self.page.locator("form[action='/logout'] button").click()

    async def is_at(self, path: str) -> None:
        await expect(self.page).to_have_url(self.address + path)

    async def reads(self, heading: str) -> None:
        await expect(self.page.get_by_role("heading", level=1)).to_have_text(heading)

    def told(self) -> Locator:
        """What the page that a form led to says of it."""
        return self.page.locator("#flash")

    async def is_usable(self, axe: str) -> None:
        wide = await self.page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        faults = [f"{wide} px to the side"] if wide > 0 else []
        assert faults + await serious_faults(self.page, axe) == [], self.page.url
