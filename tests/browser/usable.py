"""What is wrong with a page in a browser, as sentences. None is what a page is to give."""

from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import ConsoleMessage, Page, Request

# In CSS pixels, either way. With a mouse WCAG 2.2 (2.5.8) asks for so many; a thumb wants more.
LEAST_TARGET = {"desktop": 24, "phone": 44}
MOST_BYTES, MOST_REQUESTS = 120 * 1024, 6
# The whole API's description, or a resource's, is on one page.
MOST_BYTES_OF_DOCS = 300 * 1024

_MEASURED = """(least) => {
    const loaded = performance.getEntriesByType("resource")
        .filter((each) => !["fetch", "xmlhttprequest"].includes(each.initiatorType));
    const document_ = performance.getEntriesByType("navigation")[0];
    return {
        wide: document.scrollingElement.scrollWidth - innerWidth,
        headings: document.querySelectorAll("h1").length,
        language: document.documentElement.lang,
        bytes: [document_, ...loaded].reduce((sum, each) => sum + each.encodedBodySize, 0),
        requests: loaded.length + 1,
        small: [...document.querySelectorAll("button, a.btn, input, select, summary, .menu__link")]
            .filter((each) => each.checkVisibility() && !each.closest(".hidden, .skip, .check, .tick"))
            .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.height < least || box.width < least))
            .map(([html]) => html),
        cut: [...document.querySelectorAll(".btn, button, h1, h2, dt, dd, th, .badge, .tabs a")]
            .filter((each) => each.checkVisibility() && !each.closest(".hidden, .skip"))
            .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth
                && getComputedStyle(each).textOverflow !== "ellipsis"
                && getComputedStyle(each).display !== "inline")
            .map((each) => each.outerHTML.slice(0, 80)),
    };
}"""
# A rule's impact is that of all it finds: those whose findings would be passed over are not tried, which
# halves the time. What is in a frame has not been given axe, which would wait for its answer.
_SERIOUS = """async () => {
    const serious = (each) => each.enabled && ["serious", "critical"].includes(each.impact);
    const rules = axe._audit.rules.filter(serious).map((each) => each.id);
    const found = await axe.run(document, {runOnly: rules, resultTypes: ["violations"], iframes: false});
    return found.violations
        .map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
}"""


class Heard:
    """What a page complains about, and what it asks of which host."""

    def __init__(self, page: Page) -> None:
        self.said: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        # The browser logs a page that is answered 404, 422 or 500 as such.
        if message.type in ("error", "warning") and "responded with a status of" not in message.text:
            self.said.append(message.text)

    def _see(self, request: Request) -> None:
        # What is taught has hosts of its own, which a module's page shows in a frame.
        host = request.url.split("/")[2]
        if not request.url.startswith("data:") and not host.partition(":")[0].endswith(".content.localhost"):
            self.hosts.add(host)


async def layout_faults(page: Page, size: str, locale: str = "pt-BR") -> list[str]:
    measured: dict[str, Any] = await page.evaluate(_MEASURED, LEAST_TARGET[size])
    most_bytes = MOST_BYTES_OF_DOCS if urlsplit(page.url).path.startswith("/docs") else MOST_BYTES
    wrong = {
        f"{measured['wide']} px to the side": measured["wide"] > 0,
        f"{measured['headings']} main headings": measured["headings"] != 1,
        f"lang is {measured['language']}": measured["language"] != locale,
        f"{measured['bytes']} bytes": measured["bytes"] > most_bytes,
        f"{measured['requests']} requests": measured["requests"] > MOST_REQUESTS,
        f"small targets: {measured['small']}": measured["small"],
        f"cut: {measured['cut']}": measured["cut"],
    }
    return [words for words, is_wrong in wrong.items() if is_wrong]


# A table becomes cards by the width of what it is in, which a page that was just made narrow learns as it is
# drawn.
_WIDE_ONCE_DRAWN = """async () => {
    const wide = () => document.scrollingElement.scrollWidth - innerWidth;
    for (let tries = 0; wide() > 0 && tries < 10; tries++) {
        await new Promise((done) => setTimeout(done, 50));
    }
    return wide();
}"""


async def zoom_faults(page: Page) -> list[str]:
    """Of a desktop's page at 200 % and at 400 %, where there is as little room as on a small phone."""
    size, wrong = page.viewport_size, []
    assert size
    for width in (720, 320):
        await page.set_viewport_size({"width": width, "height": size["height"]})
        wide = await page.evaluate(_WIDE_ONCE_DRAWN)
        wrong += [f"{wide} px to the side at {width}"] if wide > 0 else []
    await page.set_viewport_size(size)
    return wrong


async def serious_faults(page: Page, axe: str) -> list[str]:
    """What keeps some people from using it, by axe-core, which a page may have been given before."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(axe)
    found: list[str] = await page.evaluate(_SERIOUS)
    return found
