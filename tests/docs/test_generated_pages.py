"""The pages that are generated from the code."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from markdown_pages import ROOT
from trilha.core.errors import CODES, HttpsRequired
from trilha.people.users.schema import NewCnh, NewUser, User
from trilha.training.courses.schema import Course, Module, NewCourse, NewModule, Regulation
from trilha.training.enrollments.schema import Enrollment


def _generate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "docs.generate", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_are_fresh() -> None:
    done = _generate(ROOT, "--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stale_one_is_told_in_one_sentence_and_mended(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    page = tmp_path / "docs" / "errors.md"
    fresh = page.read_text()
    page.write_text(fresh.replace("email_exists", "email_was_there"))
    done = _generate(tmp_path, "--check")
    assert done.returncode == 1
    assert done.stderr == "docs: errors.md no longer agree with the code; run `make docs`.\n"
    assert _generate(tmp_path).returncode == 0
    assert page.read_text() == fresh


def test_every_code_has_its_line() -> None:
    lines = (ROOT / "docs" / "errors.md").read_text().splitlines()
    # A field code and a request code share this name.
    twice = {HttpsRequired.code}
    found = {code: sum(line.startswith(f"| `{code}` ") for line in lines) for code in CODES}
    assert found == {code: 2 if code in twice else 1 for code in CODES}


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        ("users.md", (User, NewUser, NewCnh)),
        ("courses.md", (Course, Module, NewCourse, NewModule, Regulation)),
        ("enrollments.md", (Enrollment,)),
    ],
)
def test_a_resources_page_names_every_member(page: str, kinds: tuple[type, ...]) -> None:
    text = (ROOT / "docs" / page).read_text()
    members = {name for kind in kinds for name in kind.__struct_fields__}
    assert [name for name in sorted(members) if f"`{name}`" not in text and f'"{name}"' not in text] == []


def test_no_markup_is_shown_as_text() -> None:
    """Cells escape `<`, so markup in them would appear as text."""
    pages = (ROOT / "docs").rglob("*.md")
    assert [page.name for page in pages if "&lt;br" in page.read_text()] == []
