"""The documentation site is complete, and the same without a network."""

import re
from pathlib import Path

import pytest

from docs import site
from markdown_pages import PAGES, ROOT, shown


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    assert site.build(folder) == 0
    return folder


def test_has_every_page_and_a_search_index(built: Path) -> None:
    html = {page: built / page.relative_to(ROOT).with_suffix(".html") for page in PAGES}
    html[ROOT / "README.md"] = built / "index.html"
    assert [shown(page) for page, file in html.items() if not file.exists()] == []
    assert "idempotency_key_reused" in (built / "search.json").read_text()


def test_loads_nothing_from_another_host(built: Path) -> None:
    loads = re.compile(
        r'<(?:script|img|iframe)[^>]+src="?(?:https?:)?//[^" >]+|<link[^>]+href="?(?:https?:)?//[^" >]+'
    )
    found = {match for page in built.rglob("*.html") for match in loads.findall(page.read_text())}
    assert found == set()


def test_a_link_to_a_missing_heading_fails(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / site.INDEX).write_text("# Pages\n")
    (tmp_path / site.START).write_text("# Start\n\n[Nowhere](docs/index.md#nowhere)\n")
    assert site.build(tmp_path / "site", tmp_path) != 0
    assert not (tmp_path / "site").exists()


def test_every_page_is_in_the_navigation_once() -> None:
    def paths(navigation: site.Navigation) -> list[str]:
        found = []
        for entry in navigation:
            for target in (entry,) if isinstance(entry, str) else entry.values():
                found += [target] if isinstance(target, str) else paths(target)
        return found

    listed = paths(site.build_navigation())
    assert len(listed) == len(set(listed))
    assert {shown(page) for page in PAGES} - {*listed, site.START, site.INDEX} == set()


def test_nested_lists_are_indented_for_every_reader() -> None:
    """The site's Markdown requires four spaces, where the repository's and the product's accept
    two or three.
    """
    nested = re.compile(r"^ {1,3}(?:[-*+]|\d+\.) ", re.MULTILINE)
    found = [shown(page) for page in PAGES if nested.search(site.FENCE.sub("", page.read_text()))]
    assert found == []
