"""Returns the faults of a page in a browser as sentences. A page must have none."""

import re
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import ConsoleMessage, Page, Request

# In CSS pixels, both ways. WCAG 2.2 (2.5.8) requires this size for a mouse; a thumb needs more.
LEAST_TARGET = {"desktop": 24, "phone": 44}
MOST_BYTES, MOST_REQUESTS = 120 * 1024, 6
# These pages show the description of the whole API, or of a resource.
MOST_BYTES_OF_DOCS = 300 * 1024
# Only the editor of a lesson loads the script that edits its blocks.
MOST_BYTES_OF_EDITOR = 260 * 1024
_EDITOR = re.compile(r"/admin/courses/[^/]+/(languages/[^/]+/)?modules/[^/]+")

_MEASURED = """(least) => {
    // A list may have any number of them, and the browser loads those that come into view.
    const later = [...document.images].filter((each) => each.loading === "lazy").map((each) => each.src);
    const loaded = performance.getEntriesByType("resource")
        .filter((each) => !["fetch", "xmlhttprequest"].includes(each.initiatorType))
        .filter((each) => !later.includes(each.name))
        // With a worker it comes from the device, where it has no compressed size.
        .filter(() => !navigator.serviceWorker?.controller);
    const document_ = performance.getEntriesByType("navigation")[0];
    return {
        wide: document.scrollingElement.scrollWidth - innerWidth,
        headings: document.querySelectorAll("h1").length,
        language: document.documentElement.lang,
        bytes: [document_, ...loaded].reduce((sum, each) => sum + each.encodedBodySize, 0),
        requests: loaded.length + 1,
        small: [...document.querySelectorAll("button, a.btn, input, select, summary, .menu__link")]
            .filter((each) => each.checkVisibility() && !each.closest(".hidden, .skip, .check, .tick"))
            .map((each) => [each.outerHTML.slice(0, 80), each.closest("label") ?? each])
            .map(([html, target]) => [html, target.getBoundingClientRect()])
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
# Frames do not have axe, which would wait for their answer.
_AXE = """async () => {
    const result = await axe.run(document, {resultTypes: ["violations"], iframes: false});
    return result.violations
        .map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
}"""
# HTML_CodeSniffer knows an older list of autofill fields and has no words for some of its findings about them
# (H98); the Nu checker checks these.
_HTML_CODESNIFFER = """() => new Promise((done) => {
    const translate = HTMLCS.getTranslation;
    HTMLCS.getTranslation = (key) => translate.call(HTMLCS, key) ?? key;
    HTMLCS.process("WCAG2AA", document, () => done(
        HTMLCS.getMessages()
            .filter((each) => each.type === HTMLCS.ERROR && !each.code.endsWith("H98"))
            .map((each) => `${each.code}: ${each.msg} ${each.element.outerHTML?.slice(0, 120)}`)
    ), (error) => done([String(error)]));
})"""


class Heard:
    """The complaints of a page, and its requests by host."""

    def __init__(self, page: Page) -> None:
        self.said: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        # The browser logs pages that are answered with 404, 422 or 500, and workers that the test blocks.
        expected = ("responded with a status of", "Service Worker registration blocked")
        if message.type in ("error", "warning") and not any(each in message.text for each in expected):
            self.said.append(message.text)

    def _see(self, request: Request) -> None:
        # Course content has its own hosts, in the frame of a module's page.
        host = request.url.split("/")[2]
        if not request.url.startswith("data:") and not host.partition(":")[0].endswith(".content.localhost"):
            self.hosts.add(host)


async def layout_faults(page: Page, size: str, locale: str = "pt-BR") -> list[str]:
    measured: dict[str, Any] = await page.evaluate(_MEASURED, LEAST_TARGET[size])
    path = urlsplit(page.url).path
    most_bytes = MOST_BYTES_OF_DOCS if path.startswith("/docs") else MOST_BYTES
    most_requests = MOST_REQUESTS
    if _EDITOR.fullmatch(path):
        most_bytes, most_requests = MOST_BYTES_OF_EDITOR, MOST_REQUESTS + 1
    wrong = {
        f"{measured['wide']} px to the side": measured["wide"] > 0,
        f"{measured['headings']} main headings": measured["headings"] != 1,
        f"lang is {measured['language']}": measured["language"] != locale,
        f"{measured['bytes']} bytes": measured["bytes"] > most_bytes,
        f"{measured['requests']} requests": measured["requests"] > most_requests,
        f"small targets: {measured['small']}": measured["small"],
        f"cut: {measured['cut']}": measured["cut"],
    }
    return [words for words, is_wrong in wrong.items() if is_wrong]


# A table becomes cards depending on the width of its container, which the page learns while it draws.
_WIDE_ONCE_DRAWN = """async () => {
    const wide = () => document.scrollingElement.scrollWidth - innerWidth;
    for (let tries = 0; wide() > 0 && tries < 10; tries++) {
        await new Promise((done) => setTimeout(done, 50));
    }
    return wide();
}"""


async def zoom_faults(page: Page) -> list[str]:
    """Returns the faults of a desktop page at 200 % and 400 %, where it has as little room as on a small
    phone.
    """
    size, wrong = page.viewport_size, []
    assert size
    for width in (720, 320):
        await page.set_viewport_size({"width": width, "height": size["height"]})
        wide = await page.evaluate(_WIDE_ONCE_DRAWN)
        wrong += [f"{wide} px to the side at {width}"] if wide > 0 else []
    await page.set_viewport_size(size)
    return wrong


async def serious_faults(page: Page, axe: str) -> list[str]:
    """Returns what makes the page inaccessible to some people, by axe-core and HTML_CodeSniffer.

    The page may have loaded the two before.
    """
    if not await page.evaluate("'axe' in window && 'HTMLCS' in window"):
        await page.evaluate(axe)
    faults: list[str] = [*await page.evaluate(_AXE), *await page.evaluate(_HTML_CODESNIFFER)]
    return faults
