"""Cuts a version and builds its release into `dist`: `python -m docs.release [VERSION]`.

With a version, the section Unreleased of CHANGELOG.md becomes that version's, and the files that name the
version are updated. Without one, it builds the current version.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from docs import api_changes

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
_PACKAGE = ROOT / "src" / "trilha" / "__init__.py"
_CHANGELOG = ROOT / "CHANGELOG.md"
_VERSION = re.compile(r'(?<=^__version__ = ")[^"]+', re.MULTILINE)


class ReleaseError(Exception):
    """Says in one sentence what the maintainer has to do first."""


def current_version() -> str:
    found = _VERSION.search(_PACKAGE.read_text())
    assert found
    return found[0]


def changelog_section(version: str) -> str:
    """Returns the changelog's text about a version, without the heading."""
    heading = rf"^## {re.escape(version)}(?: - [\d-]+)?\n(.*?)(?=^## |\Z)"
    found = re.search(heading, _CHANGELOG.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if not found or not found[1].strip():
        raise ReleaseError(f"CHANGELOG.md has no entry under {version}: write there what changes for users.")
    return found[1].strip() + "\n"


def cut(version: str) -> None:
    """Gives the working tree a new version number. Nothing is committed."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version) or _numbers(version) <= _numbers(current_version()):
        raise ReleaseError(f"The version has to be three numbers, and higher than {current_version()}.")
    changelog_section("Unreleased")
    check_api(version)
    if _run("git", "status", "--porcelain"):
        raise ReleaseError("There are changes that are not committed: commit them first.")
    text = _CHANGELOG.read_text(encoding="utf-8")
    heading = f"## {version} - {datetime.now(UTC).date()}\n"
    _CHANGELOG.write_text(text.replace("## Unreleased\n", heading, 1), encoding="utf-8")
    _PACKAGE.write_text(_VERSION.sub(version, _PACKAGE.read_text()))


def check_api(version: str) -> None:
    if changes := api_changes.check(version):
        raise ReleaseError("\n".join([f"Version {version} may not change the API like this:", *changes]))


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def build() -> None:
    """Writes the wheel, the source, the notes, the bill of materials and the container's context."""
    version = current_version()
    notes = changelog_section(version)
    shutil.rmtree(DIST, ignore_errors=True)
    _run(sys.executable, "-m", "hatchling", "build", "--directory", str(DIST))
    (wheel,) = DIST.glob("*.whl")
    client = ROOT / "clients" / "python"
    _run(sys.executable, "-m", "hatchling", "build", "--directory", str(DIST), folder=client)
    (DIST / f"trilha-{version}.md").write_text(notes, encoding="utf-8")
    shutil.copy(ROOT / "docs" / "sbom.cdx.json", DIST / f"trilha-{version}.cdx.json")
    context = DIST / "container"
    context.mkdir()
    for source in (wheel, ROOT / "Containerfile", ROOT / "requirements" / "run.txt"):
        shutil.copy(source, context)
    for name in ("compose.yaml", "nginx.conf"):
        shutil.copy(ROOT / "deploy" / name, context)
    files = sorted(path for path in DIST.iterdir() if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / "SHA256SUMS").write_text("".join(sums))


def _run(*command: str, folder: Path = ROOT) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(done.stderr.strip())
    return done.stdout


def main(arguments: list[str]) -> int:
    try:
        version = arguments[0] if arguments else current_version()
        if version == current_version():
            check_api(version)
        else:
            cut(version)
            # In new processes, because this one has imported the previous version.
            _run(sys.executable, "-m", "docs.api_changes", "--write")
            _run(sys.executable, "-m", "docs.clients")
            _run(sys.executable, "-m", "docs.sbom")
        build()
    except ReleaseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    names = [path.name for path in sorted(DIST.iterdir())]
    sys.stdout.write(f"dist has version {current_version()}: {', '.join(names)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
