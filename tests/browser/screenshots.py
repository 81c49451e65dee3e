"""Pictures of the gallery: `python -m browser.screenshots FOLDER [PAGE …]`."""

import sys
from pathlib import Path

from browser.chromium import PAGES, WIDTHS, browser, gallery


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with gallery() as address, browser() as launched:
        for size, width in WIDTHS.items():
            for theme in ("light", "dark"):
                context = launched.new_context(
                    viewport={"width": width, "height": 812 if size == "phone" else 900},
                    color_scheme=theme,
                    locale="pt-BR",
                    has_touch=size == "phone",
                    is_mobile=size == "phone",
                    reduced_motion="reduce",
                )
                page = context.new_page()
                for name in names or PAGES:
                    page.goto(address + PAGES[name])
                    page.screenshot(path=folder / f"gallery-{name}-{size}-{theme}.png", full_page=True)
                context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
