"""Browsers of people who are signed in, and of people who are not."""

from typing import Any

from msgspec import Struct
from playwright.async_api import Browser, BrowserContext

from browser.chromium import new_context
from browser.companies import Company
from browser.every_page import Address, addresses
from trilha.kit.page import Locale
from trilha.people.users.schema import Role


class Look(Struct, frozen=True):
    """How a page is displayed. `size` is one of `chromium.WIDTHS`."""

    size: str
    theme: str = "light"
    locale: Locale = "pt-BR"


class Visitor:
    """A person of a company at the pages of one server. Without a role, the person is not signed in."""

    def __init__(self, context: BrowserContext, company: Company, role: Role | None) -> None:
        self.context = context
        self.company = company
        self.role = role

    async def sign_in(self) -> None:
        assert self.role is not None
        tab = await self.context.new_page()
        await tab.goto(f"/login?tenant={self.company.slug}")
        await tab.fill("[name=email]", self.company.emails[self.role])
        await tab.fill("[name=password]", self.company.password)
        await tab.locator("main form .btn--primary").click()
        await tab.wait_for_url(lambda url: "/login" not in url)
        await tab.close()

    async def pages(self) -> list[Address]:
        """Returns all pages for this person."""
        start = f"?tenant={self.company.slug}"
        return await addresses(self.role, self._read, start if self.role is None else "")

    async def _read(self, url: str) -> str:
        answer = await self.context.request.get(url)
        assert answer.ok, f"{url} is answered {answer.status} to {self.role}"
        return await answer.text()


async def visit(
    launched: Browser, address: str, company: Company, role: Role | None, look: Look, **options: Any
) -> Visitor:
    """Opens a browser for the person. The caller closes it."""
    context = await new_context(
        launched, look.size, look.theme, locale=look.locale, base_url=address, bypass_csp=False, **options
    )
    cookie = {"name": "trilha_locale", "value": look.locale, "url": address}
    await context.add_cookies([cookie])  # type: ignore[list-item]
    visitor = Visitor(context, company, role)
    if role is not None:
        await visitor.sign_in()
    return visitor
