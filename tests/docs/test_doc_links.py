"""Links between the pages."""

from pathlib import Path

import pytest
from docs.site import find_files, links

from markdown_pages import PAGES, anchors, shown


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_links_resolve(page: Path) -> None:
    broken = []
    for link in links(page):
        if link.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_page_is_reached_from_the_readme() -> None:
    assert [shown(page) for page in PAGES if page not in find_files()] == []
