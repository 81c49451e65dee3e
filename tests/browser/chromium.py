"""A headless Chromium, and a server for the gallery."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
from playwright.async_api import Browser, BrowserContext, Error, async_playwright

from running import free_port, wait_until

ROOT = Path(__file__).parents[2]
WHOLE = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# The same engine without desktop windows, which needs half the time for a page.
CHROMIUM = shutil.which("chromium-headless-shell") or WHOLE
WIDTHS = {"phone": 375, "desktop": 1440}
# Milliseconds until an action on a page fails. A machine that runs other tests beside needs them.
_PATIENCE = 60_000
# The sandbox needs a separate user, which the CI machine does not have. The microphone is a fake one that
# beeps; the context decides whether a page may use it.
_ARGUMENTS = ["--no-sandbox", "--hide-scrollbars", "--disable-gpu", "--use-fake-device-for-media-stream"]
# The full browser does this by default: it isolates sites, whatever the process limit.
_ARGUMENTS += ["--site-per-process"]
# Starts no process in advance, and lets pages of one site share a process. This saves a third of the time of
# a new page.
_ARGUMENTS += ["--renderer-process-limit=1"]
PAGES = {
    "overview": "",
    "list": "/list",
    "no-match": "/list?q=nobody",
    "long": "/long",
    "form": "/form",
    "form-wrong": "/form?wrong=1",
    "confirm": "/confirm",
    "empty": "/empty",
    "learner": "/learner",
    "sign-in": "/sign-in?wrong=1",
    "public": "/public",
    "failure-404": "/failures/404",
    "failure-500": "/failures/500",
    "states": "/parts/states",
    "text": "/parts/text",
    "charts": "/parts/charts",
    "covers": "/parts/covers",
    "job": "/parts/job",
}


@contextlib.asynccontextmanager
async def browser(program: str | None = CHROMIUM) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)
        yield launched
        await launched.close()


@contextlib.asynccontextmanager
async def with_profile(folder: Path) -> AsyncIterator[BrowserContext]:
    """Starts a browser that keeps cookies and storage in this folder. The test may kill it."""
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            folder, executable_path=CHROMIUM, args=_ARGUMENTS, locale="pt-BR"
        )
        yield context
        with contextlib.suppress(Error):
            await context.close()


async def new_context(launched: Browser, size: str, theme: str = "light", **options: Any) -> BrowserContext:
    phone = size == "phone"
    context = await launched.new_context(
        viewport={"width": WIDTHS[size], "height": 812 if phone else 900},
        color_scheme=theme,
        has_touch=phone,
        is_mobile=phone,
        reduced_motion="reduce",
        **{"locale": "pt-BR"} | options,
    )
    context.set_default_timeout(_PATIENCE)
    return context


@contextlib.contextmanager
def gallery() -> Iterator[str]:
    """Runs the gallery and returns its address."""
    port = free_port()
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"}
    command = [sys.executable, "-m", "browser.gallery", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _answers(port))
        yield f"http://127.0.0.1:{port}/gallery"
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/gallery").status_code == 200
    except httpx2.TransportError:
        return False
