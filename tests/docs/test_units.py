"""The files for systemd, and the instructions of their page."""

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from markdown_pages import ROOT, blocks
from running import TRILHA
from trilha import settings
from trilha.cli import main

DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
PAGE = ROOT / "docs" / "howto" / "run-under-systemd.md"


def test_its_settings_are_settings() -> None:
    lines = (DEPLOY / "trilha.env").read_text().splitlines()
    environ = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    found = settings.load(environ)
    settings.check_content(found)
    assert found.env == "production"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_starts_a_command_that_is_there(unit: Path) -> None:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read(unit)
    program, *arguments = parser["Service"]["ExecStart"].split()
    assert program == "/opt/trilha/.venv/bin/trilha"
    assert CliRunner().invoke(main, [*arguments, "--help"]).exit_code == 0
    for name in ("After", "Before", "Requires"):
        for other in parser["Unit"].get(name, "").split():
            assert other.endswith(".target") or (DEPLOY / other).exists()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    for unit in UNITS:
        text = unit.read_text().replace("/opt/trilha/.venv/bin/trilha", TRILHA)
        (tmp_path / unit.name).write_text(text.replace("User=trilha\n", ""))
    files = [str(tmp_path / unit.name) for unit in UNITS]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *files],
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert wrong == []


def test_the_page_names_files_that_are_there() -> None:
    text = "".join(block.text for block in blocks(PAGE))
    named = {word.removeprefix("deploy/") for word in text.split() if word.startswith("deploy/")}
    assert named == {file.name for file in (*UNITS, DEPLOY / "trilha.env")}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_are_completed(shell: str) -> None:
    variables = {"_TRILHA_COMPLETE": f"{shell}_complete", "COMP_WORDS": "trilha sta", "COMP_CWORD": "1"}
    if shell == "fish":
        variables["COMP_CWORD"] = "sta"
    done = subprocess.run(
        [TRILHA], env={"PATH": "/usr/bin:/bin"} | variables, capture_output=True, text=True, check=False
    )
    assert "status" in done.stdout
    source = {"PATH": "/usr/bin:/bin", "_TRILHA_COMPLETE": f"{shell}_source"}
    script = subprocess.run([TRILHA], env=source, capture_output=True, text=True, check=False).stdout
    assert "_TRILHA_COMPLETE" in script
