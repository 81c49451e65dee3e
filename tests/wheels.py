"""The locked packages as wheels, downloaded once for each state of the lock file and version of Python."""

import fcntl
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from npm import CACHE

# Locked packages that their authors publish without wheels.
_SOURCE_ONLY = ("http-ece==",)
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
            binary, source = folder / "binary.txt", folder / "source.txt"
            blocks = re.split(r"\n(?=[a-z0-9])", LOCK.read_text())
            source.write_text("\n".join(block for block in blocks if block.startswith(_SOURCE_ONLY)))
            binary.write_text("\n".join(block for block in blocks if not block.startswith(_SOURCE_ONLY)))
            command = [sys.executable, "-m", "pip", "download", *options, "-r", binary, "-d", folder]
            downloaded = subprocess.run(command, capture_output=True, text=True, check=False)
            if not downloaded.returncode:  # written in Python alone, so one wheel fits every version
                command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--require-hashes"]
                command += ["-r", source, "-w", folder]
                downloaded = subprocess.run(command, capture_output=True, text=True, check=False)
            if downloaded.returncode and "CI" not in os.environ:
                pytest.skip(f"pip cannot download the packages: {downloaded.stderr[-300:]}")
            assert downloaded.returncode == 0, downloaded.stderr
            (folder / "done").touch()
    return folder
