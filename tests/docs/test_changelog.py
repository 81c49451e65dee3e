"""The format of the changelog: versions from new to old, and one short line per entry."""

import re

from markdown_pages import ROOT
from trilha import __version__

LINES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
VERSION = re.compile(r"## (\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)")
KINDS = ["Added", "Changed", "Fixed", "Security"]


def test_versions_go_from_new_to_old() -> None:
    headings = [line for line in LINES if line.startswith("## ") and line != "## Unreleased"]
    versions = [VERSION.fullmatch(heading) for heading in headings]
    numbers = [tuple(map(int, version.groups()[:3])) for version in versions if version]
    days = [version[4] for version in versions if version]
    assert len(numbers) == len(headings)
    assert numbers == sorted(numbers, reverse=True)
    assert days == sorted(days, reverse=True)
    assert ".".join(map(str, numbers[0])) == __version__


def test_each_entry_is_one_line_of_at_most_120_characters() -> None:
    entries = [line for line in LINES[4:] if line and not line.startswith("#")]
    assert [line for line in entries if not line.startswith("- ") or len(line) > 120] == []


def test_each_version_has_its_kinds_once_and_in_order() -> None:
    kinds: list[str] = []
    for line in LINES:
        if line.startswith("## "):
            kinds = []
        elif line.startswith("### "):
            kinds.append(line.removeprefix("### "))
            assert kinds == [kind for kind in KINDS if kind in kinds], line
