"""Files for editors, hooks and development containers, and issue templates."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from markdown_pages import ROOT

NAMES = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
    cwd=ROOT,
    capture_output=True,
    text=True,
    check=True,
).stdout.splitlines()
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
PRE_COMMIT = Path(sys.executable).with_name("pre-commit")


def _texts() -> dict[str, str]:
    """Returns the content of all text files, by name."""
    contents = {name: (ROOT / name).read_bytes() for name in NAMES if (ROOT / name).is_file()}
    return {name: each.decode() for name, each in contents.items() if b"\0" not in each}


def test_all_files_are_as_editors_are_told_to_write_them() -> None:
    signature = "src/trilha/platform/mail/templates/layout.txt"
    assert signature in (ROOT / ".editorconfig").read_text()
    wrong = [
        name
        for name, text in _texts().items()
        if "\r" in text
        or (text and not text.endswith("\n"))
        or (name != signature and re.search(r"[ \t]$", text, re.MULTILINE))
    ]
    assert wrong == []


def test_hooks_need_no_network() -> None:
    assert [each["repo"] for each in HOOKS] == ["local"]
    assert {hook["language"] for each in HOOKS for hook in each["hooks"]} == {"system"}
    subprocess.run([PRE_COMMIT, "validate-config", ROOT / ".pre-commit-config.yaml"], check=True)


@pytest.mark.parametrize(
    ("content", "passes"),
    [("names = [1, 2]\n", True), ("names = [1,2]\n", False), ("import os\n", False)],
    ids=["fine", "format", "lint"],
)
def test_a_commit_is_linted_and_formatted(content: str, passes: bool, tmp_path: Path) -> None:
    shutil.copy(ROOT / ".pre-commit-config.yaml", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (tmp_path / "new.py").write_text(content)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "new.py", ".pre-commit-config.yaml"], cwd=tmp_path, check=True)
    done = subprocess.run([PRE_COMMIT, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is passes, done.stdout


def test_the_container_for_development_is_set_up_by_commands_that_are_there() -> None:
    folder = ROOT / ".devcontainer"
    settings = json.loads((folder / "devcontainer.json").read_text())
    lines = (folder / settings["build"]["dockerfile"]).read_text().splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY ")]
    assert all((folder / settings["build"]["context"] / name).is_file() for name in copied)
    assert any(line.endswith(f" {settings['remoteUser']}") for line in lines)
    make, target = settings["postCreateCommand"].split()
    assert make == "make"
    assert f"\n{target}:" in (ROOT / "Makefile").read_text()


def test_forms_for_issues_have_a_name_and_a_purpose() -> None:
    for form in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"):
        _, head, text = form.read_text().split("---\n", 2)
        assert {"name", "about", "labels"} == yaml.safe_load(head).keys()
        assert text.strip()


def test_every_target_of_make_is_explained() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    told = set(re.findall(r"^make ([a-z0-9-]+)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))
    assert told == targets - {"help", "setup", "clean"}
