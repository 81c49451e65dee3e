"""The browser for tests. Tests are skipped on a machine without one, but not in CI."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser

from browser import chromium
from npm import installed


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
    """Returns the script of axe-core, which finds accessibility faults."""
    folder = installed(Path(__file__).parent / "axe")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()
