"""The locked packages as wheels, downloaded once for each state of the lock file and version of Python."""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from npm import CACHE

LOCK = Path(__file__).parents[1] / "requirements" / "run.txt"


def wheelhouse(python: str) -> Path:
    """Returns a folder with everything that pip needs for a Python version such as 3.13.

    Skips the test if pip cannot download, except in CI.
    """
    folder = CACHE / f"wheels-{python}-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            options = ["--no-deps", "--require-hashes", "--only-binary=:all:", f"--python-version={python}"]
            command = [sys.executable, "-m", "pip", "download", *options, "-r", LOCK, "-d", folder]
            downloaded = subprocess.run(command, capture_output=True, text=True, check=False)
            if downloaded.returncode and "CI" not in os.environ:
                pytest.skip(f"pip cannot download the packages: {downloaded.stderr[-300:]}")
            assert downloaded.returncode == 0, downloaded.stderr
            (folder / "done").touch()
    return folder
