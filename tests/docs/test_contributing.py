"""CONTRIBUTING shows code that exists."""

import re
from collections.abc import Iterator

import pytest

from markdown_pages import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "trilha"


def shown() -> Iterator[tuple[str, list[str]]]:
    """Returns each block of Python with the file that the line before it names."""
    for match in re.finditer(
        r"^`([\w/]+\.py)`[^\n]*\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    ):
        yield match[1], match[2].splitlines()


def test_every_block_of_python_names_its_file() -> None:
    assert len(list(shown())) == PAGE.count("```python") >= 4


@pytest.mark.parametrize(("file", "lines"), list(shown()))
def test_shows_what_stands_there(file: str, lines: list[str]) -> None:
    """The lines of each block are in that file, in order; `...` stands for omitted lines."""
    source = iter((SOURCE / file).read_text(encoding="utf-8").splitlines())
    skips = True
    for line in lines:
        if line.strip() == "...":
            skips = True
        elif skips:
            assert line in source, f"{file} has no line {line!r} there"
            skips = False
        else:
            assert next(source) == line


@pytest.mark.parametrize("path", re.findall(r"`((?:src|tests|core|docs)/[\w./]+\.\w+|[\w/]+/\w+\.py)`", PAGE))
def test_names_files_that_are_there(path: str) -> None:
    assert any((root / path).exists() for root in (ROOT, SOURCE)), path
