"""The browser for tests. Tests are skipped on a machine without one, but not in CI."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, expect

from browser import chromium
from browser.nu import CHECKERS
from npm import installed

# How long an expectation waits for a page, in ms. The default of 5 s is too short on a busy machine.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
async def launched() -> AsyncIterator[Browser]:
    async with launched_or_skipped(chromium.CHROMIUM) as browser:
        yield browser


@asynccontextmanager
async def launched_or_skipped(program: str | None) -> AsyncIterator[Browser]:
    if program is None and "CI" not in os.environ:
        pytest.skip("there is no browser here: apt-get install chromium chromium-headless-shell")
    async with chromium.browser(program) as browser:
        yield browser


@pytest.fixture(scope="session")
def gallery() -> Iterator[str]:
    with chromium.gallery() as address:
        yield address


@pytest.fixture(scope="session")
def axe() -> str:
    """Returns the scripts of axe-core and HTML_CodeSniffer, which find accessibility faults."""
    modules = installed(CHECKERS) / "node_modules"
    scripts = ("axe-core/axe.min.js", "html_codesniffer/build/HTMLCS.js")
    return ";\n".join((modules / each).read_text() for each in scripts)
