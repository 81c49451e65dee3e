"""Builds the documentation site: `python -m docs.site FOLDER`. Needs no network.

The site holds README.md and every page and file that can be reached from it by links. Paths are the same as
in the repository, so that relative links work in both. The navigation comes from the lists in docs/index.md.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
START, INDEX = "README.md", "docs/index.md"
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r'\]\(([^)\s]+)\)|<img src="([^"]+)"')
_SECTION = re.compile(r"^## (.+)$")
_ENTRY = re.compile(r"^- \[([^\]]+)\]\(([^)\s#]+)\)")
Navigation = list[dict[str, Any]]


def links(page: Path) -> list[str]:
    """Returns every address that a page links to or shows as a picture, outside code blocks."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return [link or picture for link, picture in _LINK.findall(text)]


def find_files(root: Path = ROOT) -> set[Path]:
    """Returns the start page and all files of the repository that can be reached from it."""
    files: set[Path] = set()
    to_read = [root / START]
    while to_read:
        page = to_read.pop()
        files.add(page)
        targets = {
            (page.parent / link.partition("#")[0]).resolve() for link in links(page) if ":" not in link
        }
        to_read += [each for each in targets - files if each.suffix == ".md" and each.is_file()]
        files |= {each for each in targets if each.is_file()}
    return files


def build_navigation(root: Path = ROOT, index: str = INDEX) -> Navigation:
    """The lists of docs/index.md as sections. An entry that is an index page itself has its own list below,
    without links that lead out of its folder."""
    navigation: Navigation = []
    entries = navigation
    for line in (root / index).read_text(encoding="utf-8").splitlines():
        if (section := _SECTION.match(line)) and index == INDEX:
            entries = []
            navigation.append({section[1]: entries})
        elif (entry := _ENTRY.match(line)) and (index == INDEX or not entry[2].startswith("..")):
            path = str((root / index).parent.joinpath(entry[2]).resolve().relative_to(root))
            is_index = path.endswith("/index.md")
            entries.append({entry[1]: [path, *build_navigation(root, path)] if is_index else path})
    return navigation


def build(site: Path, root: Path = ROOT) -> int:
    """Writes the site into a folder. Returns an exit code: a link to a missing page or heading fails."""
    config = yaml.safe_load((ROOT / "docs" / "site.yml").read_text(encoding="utf-8"))
    config |= {"docs_dir": "pages", "site_dir": "site", "nav": [{"Trilha": START}, *build_navigation(root)]}
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        for file in find_files(root):
            copy = work / "pages" / file.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
        (work / "mkdocs.yml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
        zensical = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", "mkdocs.yml"]
        code = subprocess.run(zensical, cwd=work, check=False).returncode
        if code == 0:
            shutil.rmtree(site, ignore_errors=True)
            shutil.copytree(work / "site", site)
        return code


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1])))
