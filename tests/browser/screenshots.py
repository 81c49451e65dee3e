"""Pictures of the gallery: `python -m browser.screenshots FOLDER [PAGE …]`."""

import asyncio
import sys
from pathlib import Path

from browser.chromium import PAGES, WIDTHS, browser, gallery, new_context


async def main(folder: Path, names: list[str]) -> None:
    with gallery() as address:
        async with browser() as launched:
            for size in WIDTHS:
                for theme in ("light", "dark"):
                    context = await new_context(launched, size, theme)
                    page = await context.new_page()
                    for name in names or PAGES:
                        await page.goto(address + PAGES[name])
                        picture = folder / f"gallery-{name}-{size}-{theme}.png"
                        await page.screenshot(path=picture, full_page=True)
                    await context.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
