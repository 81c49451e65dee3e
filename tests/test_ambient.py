"""The suite does the same, whatever `TRILHA_*` variables the machine has."""

import os
import subprocess
import sys
from pathlib import Path

from trilha.settings import Settings, load

TESTS = Path(__file__).parent
HOSTILE = {
    "TRILHA_LIMIT_V1": "1/1m",
    "TRILHA_PORT": "1",
    "TRILHA_DATA_DIR": "/nonexistent",
    "TRILHA_ENV": "production",
    "TRILHA_DATABASE_URL": "bad",
    "TRILHA_NO_SETTING": "1",
}
TRIED = ("test_ambient.py::test_no_setting_is_here", "cli/test_up.py::test_a_busy_port_is_one_sentence")


def test_no_setting_is_here() -> None:
    """The same holds in a process of pytest-xdist, where the suite runs."""
    assert [name for name in os.environ if name.startswith("TRILHA_")] == []
    assert load() == Settings()


def test_a_hostile_environment_changes_nothing(tmp_path: Path) -> None:
    """The processes that a test starts do not get these variables either."""
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "--basetemp", tmp_path / "inner"]
    command += [TESTS / each for each in TRIED]
    done = subprocess.run(
        command,
        cwd=TESTS.parent,
        env=os.environ | HOSTILE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert f"{len(TRIED)} passed" in done.stdout
