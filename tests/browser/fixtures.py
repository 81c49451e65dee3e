"""A browser for the tests. Where the machine has none they are skipped, but not in CI."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from browser import chromium
from browser.serving import serving
from browser.visits import Visit
from npm import installed


@pytest.fixture(scope="session")
async def launched() -> AsyncIterator[Browser]:
    if chromium.CHROMIUM is None and "CI" not in os.environ:
        pytest.skip("there is no chromium here: apt-get install chromium")
    async with chromium.browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def gallery() -> Iterator[str]:
    with chromium.gallery() as address:
        yield address


@pytest.fixture(scope="session")
async def site(app: Any) -> AsyncIterator[str]:
    """The address of the one server that all tests of this process ask."""
    async with serving(app) as address:
        yield address


@pytest.fixture
async def visits(launched: Browser, site: str) -> AsyncIterator[Callable[..., Awaitable[Visit]]]:
    """Opens browsers of their own: `await visits("phone", java_script_enabled=False)`."""
    contexts = []

    async def visit(size: str = "desktop", theme: str = "light", **options: Any) -> Visit:
        at = options.pop("at", site)
        context = await chromium.new_context(launched, size, theme, bypass_csp=False, **options)
        contexts.append(context)
        return Visit(await context.new_page(), at)

    yield visit
    for each in contexts:
        await each.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that finds what not everybody can use."""
    folder = installed(Path(__file__).parent / "axe")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()
