"""Compares two documents by blocks, and changed blocks by words."""

import difflib
import re
from collections.abc import Sequence

from msgspec import Struct

from trilha.training.courses.lessons.markdown_writing import write_markdown
from trilha.training.courses.lessons.schema import Document

MAX_WORDS = 4000  # of a block that is compared word by word
_CONTEXT = 1
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


class Piece(Struct, frozen=True):
    """A run of words: `same`, `added` or `removed`."""

    change: str
    text: str


class Block(Struct, frozen=True):
    """A block of text: `same`, `added`, `removed`, `changed`, or `skipped` for unchanged ones between."""

    change: str
    pieces: list[Piece]
    count: int = 1


def compare_documents(before: Document, after: Document) -> list[Block]:
    """Returns the changed blocks with their neighbors. Equal documents have none."""
    old, new = _write_blocks(before), _write_blocks(after)
    blocks: list[Block] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for change, a, b, c, d in matcher.get_opcodes():
        if change == "equal":
            blocks += _skip(old[a:b], is_first=a == 0, is_last=b == len(old))
        else:
            blocks += _pair(old[a:b], new[c:d])
    return blocks if any(block.change not in ("same", "skipped") for block in blocks) else []


def _write_blocks(document: Document) -> list[str]:
    return [
        text
        for block in document["content"]
        if (text := write_markdown({"type": "doc", "content": [block]}).strip())
    ]


def _skip(texts: Sequence[str], *, is_first: bool, is_last: bool) -> list[Block]:
    """Keeps the blocks next to a change, and counts the others."""
    before = [] if is_first else texts[:_CONTEXT]
    rest = texts[len(before) :]
    after = [] if is_last else rest[max(len(rest) - _CONTEXT, 0) :]
    skipped = len(texts) - len(before) - len(after)
    gap = [Block("skipped", [], skipped)] if skipped > 0 else []
    return [*map(_keep, before), *gap, *map(_keep, after)]


def _keep(text: str) -> Block:
    return Block("same", [Piece("same", text)])


def _pair(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Pairs the blocks that were replaced, in order, where they have words in common."""
    if len(old) == len(new):
        return [block for pair in zip(old, new, strict=True) for block in _compare_words(*pair)]
    return [
        *(Block("removed", [Piece("removed", text)]) for text in old),
        *(Block("added", [Piece("added", text)]) for text in new),
    ]


def _compare_words(old: str, new: str) -> list[Block]:
    before, after = _WORD.findall(old), _WORD.findall(new)
    whole = [Block("removed", [Piece("removed", old)]), Block("added", [Piece("added", new)])]
    if max(len(before), len(after)) > MAX_WORDS:
        return whole
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.real_quick_ratio() < 0.3 or matcher.ratio() < 0.3:
        return whole
    pieces = []
    for change, a, b, c, d in matcher.get_opcodes():
        if change == "equal":
            pieces.append(Piece("same", "".join(before[a:b])))
            continue
        if b > a:
            pieces.append(Piece("removed", "".join(before[a:b])))
        if d > c:
            pieces.append(Piece("added", "".join(after[c:d])))
    return [Block("changed", pieces)]
