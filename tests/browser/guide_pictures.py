"""Takes pictures for the guides of `docs/guides`: `python -m browser.guide_pictures [WORD …]`.

With words, it takes only pictures whose name contains one of them. Each shows a page of the demo tenant in
the light theme, in both languages.
"""

import asyncio
import base64
import io
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from PIL import Image
from playwright.async_api import Page

from browser.chromium import ROOT, browser
from browser.companies import DEMO, Company
from browser.visiting import Look, Visitor, visit
from running import Running, running
from trilha.kit.page import Locale
from trilha.people.users.schema import Role

FOLDERS: Mapping[Locale, Path] = {
    "pt-BR": ROOT / "docs" / "guides" / "pt-br" / "images",
    "en": ROOT / "docs" / "guides" / "en" / "images",
}
SIZES = {"desktop": {"width": 1100, "height": 620}, "phone": {"width": 375, "height": 760}}
QUALITY = 36  # of WebP, in percent


class Picture(Struct, frozen=True):
    """A page that is reached from `start` through the first link that matches each pattern."""

    role: Role
    start: str
    links: Sequence[str] = ()
    size: str = "desktop"


_ID = "[0-9a-f-]{36}"
PICTURES: Mapping[str, Picture] = {
    "overview": Picture("admin", "/admin"),
    "import": Picture("admin", "/admin/people/import", (f"^/admin/people/import/{_ID}$",)),
    "course": Picture("admin", "/admin/courses?status=DRAFT", (f"^/admin/courses/{_ID}$",)),
    "enroll-many": Picture("admin", "/admin/enrollments/many"),
    "deadlines": Picture("admin", "/admin/reports/deadlines"),
    "quiz": Picture("admin", "/admin/courses?q=socorros", (f"^/admin/courses/{_ID}$", "/quiz$")),
    "my-courses": Picture("learner", "/learn", size="phone"),
    "course-page": Picture("learner", "/learn", (f"^/learn/enrollments/{_ID}$",), "phone"),
    "certificate": Picture("learner", "/learn/certificates", (f"^/learn/certificates/{_ID}$",), "phone"),
}


async def _open(tab: Page, picture: Picture) -> None:
    await tab.goto(picture.start)
    for pattern in picture.links:
        addresses = await tab.locator("main a").evaluate_all(
            "links => links.map(a => a.getAttribute('href'))"
        )
        await tab.goto(next(each for each in addresses if re.search(pattern, each or "")))


async def _take(visitor: Visitor, picture: Picture) -> bytes:
    tab = await visitor.context.new_page()
    await _open(tab, picture)
    await tab.set_viewport_size(SIZES[picture.size])  # type: ignore[arg-type]
    # The demo is a test environment, and the readers' own pages do not have this banner.
    await tab.evaluate("document.querySelector('.strip')?.remove()")
    session = await tab.context.new_cdp_session(tab)
    shot = await session.send("Page.captureScreenshot", {"format": "png"})
    content = io.BytesIO()
    # The slowest method makes the smallest file, and the page of a guide has little room for its pictures.
    Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB").save(
        content, "WEBP", quality=QUALITY, method=6
    )
    return content.getvalue()


async def _take_all(server: Running, names: Sequence[str]) -> None:
    password = json.loads((server.folder / "data" / "demo.json").read_text())["admin_password"]
    company = Company("demo", DEMO, password)
    async with browser() as launched:
        for locale, folder in FOLDERS.items():
            folder.mkdir(exist_ok=True)
            for name in names:
                picture = PICTURES[name]
                look = Look(picture.size, locale=locale)
                visitor = await visit(launched, server.url, company, picture.role, look)
                (folder / f"{name}.webp").write_bytes(await _take(visitor, picture))
                await visitor.context.close()


def main(words: Sequence[str]) -> None:
    names = [name for name in PICTURES if any(word in name for word in words or [""])]
    with (
        tempfile.TemporaryDirectory() as data,
        running(Path(data), "--demo", TRILHA_LIMIT_LOGIN="1000000/15m") as server,
    ):
        asyncio.run(_take_all(server, names))


if __name__ == "__main__":
    main(sys.argv[1:])
