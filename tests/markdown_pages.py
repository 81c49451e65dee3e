"""The blocks and headings of documentation pages."""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(Struct, frozen=True):
    """A fenced block. `follows` is true if only blank lines are between it and the block before."""

    language: str
    text: str
    line: int
    follows: bool


def blocks(page: Path) -> Iterator[Block]:
    text, end = page.read_text(encoding="utf-8"), 0
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(match[1], match[2], line, end > 0 and not text[end : match.start()].strip())
        end = match.end()


def anchors(page: Path) -> set[str]:
    """Returns the anchors of a page's headings, as GitHub generates them."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def shown(page: Path) -> str:
    return str(page.relative_to(ROOT))
