"""Journeys of a new administrator through the panel, with everything counted that they cost."""

from playwright.async_api import Locator, Page, expect

from browser.flows import Visit


class Journey:
    """Clicks and types like a person, and counts it. `loads` are the pages that the browser opened."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.page = visit.page
        self.clicks = self.fields = self.keys = self.loads = 0
        self.page.on("domcontentloaded", self._count_load)

    def _count_load(self, page: Page) -> None:
        self.loads += 1

    async def begin(self, path: str = "/admin") -> None:
        """Opens the page on which the journey starts, which costs nothing."""
        await self.visit.go(path)
        self.clicks = self.fields = self.keys = self.loads = 0

    async def click(self, target: Locator) -> None:
        await self.page.wait_for_load_state()
        await target.click()
        self.clicks += 1

    async def follow(self, name: str, *, within: str = "main") -> None:
        await self.click(self.page.locator(within).get_by_role("link", name=name, exact=True).first)

    async def press(self, name: str) -> None:
        await self.click(self.page.get_by_role("button", name=name, exact=True))

    async def type(self, text: str) -> None:
        """Types into the field that has the focus."""
        await self.page.keyboard.type(text)
        self.fields += 1

    async def key(self, key: str) -> None:
        await self.page.wait_for_load_state()
        await self.page.keyboard.press(key)
        self.keys += 1

    async def attach(self, name: str, raw: bytes) -> None:
        """Chooses a file in the window of the operating system."""
        file = {"name": name, "mimeType": "application/octet-stream", "buffer": raw}
        async with self.page.expect_file_chooser() as choosing:
            await self.click(self.page.locator("input[type=file]"))
        await (await choosing.value).set_files(file)  # type: ignore[arg-type]
        self.fields += 1

    async def is_titled(self, text: str) -> None:
        await expect(self.page.get_by_role("heading", level=1)).to_have_text(text, timeout=15_000)

    def costs_at_most(self, *, clicks: int = 0, fields: int = 0, keys: int = 0, loads: int = 0) -> None:
        cost, most = (self.clicks, self.fields, self.keys, self.loads), (clicks, fields, keys, loads)
        assert all(each <= limit for each, limit in zip(cost, most, strict=True)), (cost, most)
