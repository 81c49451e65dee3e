"""Each line of the threat model names a test that exists."""

import ast
import re

import pytest

from markdown_pages import ROOT

PAGE = (ROOT / "docs" / "threat-model.md").read_text()
LINES = [line for line in PAGE.splitlines() if re.match(r"\| (?!Tries|Happens|---)", line)]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split("|")[1].strip())
def test_the_named_test_exists(line: str) -> None:
    named = re.fullmatch(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`", line.split("|")[-2].strip())
    assert named, line
    tree = ast.parse((ROOT / named[1]).read_text())
    tests = {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert any(each.startswith("test_") for each in tests)
    assert named[2] is None or named[2] in tests


def test_there_are_lines() -> None:
    assert len(LINES) > 25
