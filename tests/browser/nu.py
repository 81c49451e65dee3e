"""Checks the HTML of pages with the Nu HTML Checker, which needs Java."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from npm import installed

# Course content has an origin of its own, so it cannot leave its sandbox.
_OF_CONTENT = "Setting both “allow-scripts” and “allow-same-origin” is not recommended"
CHECKERS = Path(__file__).parent / "checkers"


def nu_faults(pages: Mapping[str, str], folder: Path) -> list[str]:
    """Returns what the checker says against these pages by their names. It writes them into the folder."""
    if shutil.which("java") is None and "CI" not in os.environ:
        pytest.skip("there is no Java here: apt-get install default-jre-headless")
    jar = installed(CHECKERS) / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
    names = dict(enumerate(pages))
    for number, name in names.items():
        (folder / f"{number}.html").write_text(pages[name], encoding="utf-8")
    checked = subprocess.run(
        ["java", "-Xss2m", "-jar", jar, "--format", "json", "--stdout", "--Werror", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    return [
        f"{names[int(Path(each['url']).stem)]}: {each['message']} {each.get('extract', '').strip()[:160]!r}"
        for each in json.loads(checked.stdout)["messages"]
        if _OF_CONTENT not in each["message"]
    ]
