"""Links between the pages."""

from pathlib import Path

import pytest
from markdown_pages import PAGES, ROOT, anchors, links, shown


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
    reached, to_read = set(), {ROOT / "README.md"}
    while to_read:
        page = to_read.pop()
        reached.add(page)
        targets = {(page.parent / link.partition("#")[0]).resolve() for link in links(page)}
        to_read |= {target for target in targets if target.suffix == ".md"} - reached
    assert [shown(page) for page in PAGES if page not in reached] == []
