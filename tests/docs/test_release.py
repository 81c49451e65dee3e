"""Makes a release of this checkout as its page says, installs its wheel, and upgrades to its tag."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import httpx2
import pytest

from markdown_pages import ROOT, blocks
from running import free_port, wait_until
from wheels import wheelhouse

NEXT = "1.1.0"
# Makes a whole release and a first start, on a machine that may do other work.
pytestmark = pytest.mark.timeout(600)
# Everything that make would install is present; make must not compare the age of its copies.
PRELUDE = """
make() { [[ "$1" = test* ]] || command make -o .venv/.dev -o .venv/.run -o .venv/.uv "$@"; }
"""
# The names of the files that browsers and certificates need.
ASSETS = """
import hashlib, json
from trilha.training.certificates.designs import font_folders
from trilha.kit.assets import assets
from trilha.kit.icons import FOLDER
from trilha.web.player.assets import files

content = {f"player/{name}": each.content for name, each in files().items()}
content |= {f"pages/{name}": each.content for name, each in assets().items()}
for folder in (FOLDER, *font_folders()):
    content |= {f"{folder.name}/{each.name}": each.read_bytes() for each in folder.glob("*.*[vt][gfc]")}
print(json.dumps({name: hashlib.sha256(each).hexdigest() for name, each in content.items()}))
"""


def _commands(page: str, heading: str) -> list[str]:
    """Returns the commands under a heading, block by block."""
    path = ROOT / "docs" / page
    start = path.read_text(encoding="utf-8").splitlines().index(heading) + 1
    found = [block for block in blocks(path) if block.line > start and block.language == "text"]
    return [block.text for block in found]


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a clone with an unreleased entry, and `/opt/trilha`, the clone of an installation."""
    folder = tmp_path_factory.mktemp("release")
    copy = folder / "checkout"
    names = _git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    for name in names:
        if (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    for path in [ROOT / ".venv", *(ROOT / "src").glob("**/package.json")]:
        if "node_modules" not in path.parts:
            name = path if path.name == ".venv" else path.parent / "node_modules"
            (copy / name.relative_to(ROOT)).symlink_to(name)
    changelog = copy / "CHANGELOG.md"
    entry = "## Unreleased\n\n### Added\n\n- You can do something new.\n\n## 1."
    released = re.sub(r"(?s)## Unreleased\n.*?(?=## 1\.)", "", changelog.read_text())
    changelog.write_text(released.replace("## 1.", entry, 1))
    _git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "origin")
    _git(copy, "init", "--quiet", "--initial-branch=main")
    (copy / ".git" / "info" / "exclude").write_text("node_modules\n.venv\n")
    for name, value in (("user.name", "Ana"), ("user.email", "ana@example.com")):
        _git(copy, "config", name, value)
    _git(copy, "add", "--all")
    _git(copy, "commit", "--quiet", "--message=Add something")
    _git(copy, "remote", "add", "origin", str(folder / "origin"))
    _git(copy, "push", "--quiet", "origin", "HEAD")
    _git(folder, "clone", "--quiet", str(folder / "origin"), "opt")
    script = "".join([PRELUDE, *_commands("release.md", "## Build it")])
    assert NEXT in script
    _bash(script, copy, PYTHONPATH="src")
    return copy


def _bash(script: str, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_cuts_the_version(checkout: Path) -> None:
    assert f'__version__ = "{NEXT}"' in (checkout / "src" / "trilha" / "__init__.py").read_text()
    headings = re.findall(r"^## .*", (checkout / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert re.fullmatch(rf"## {NEXT} - \d{{4}}-\d\d-\d\d", headings[0])
    assert "## Unreleased" not in headings
    for description in (checkout / "docs" / "openapi").iterdir():
        assert json.loads(description.read_text())["info"]["version"] == NEXT
    sbom = json.loads((checkout / "docs" / "sbom.cdx.json").read_text())
    assert sbom["metadata"]["component"]["version"] == NEXT
    assert _git(checkout, "status", "--porcelain") == ""
    assert _git(checkout, "tag", "--points-at=HEAD") == f"v{NEXT}"


def test_builds_what_the_page_lists(checkout: Path) -> None:
    listed = re.findall(r"^\| `([\w./-]+)` \|", (ROOT / "docs" / "release.md").read_text(), re.MULTILINE)
    dist = checkout / "dist"
    assert sorted(listed) == sorted(
        f"{each.name}/" if each.is_dir() else each.name for each in dist.iterdir()
    )
    assert (dist / f"trilha-{NEXT}.md").read_text() == "### Added\n\n- You can do something new.\n"
    for line in (dist / "SHA256SUMS").read_text().splitlines():
        sum, name = line.split()
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == sum


def test_the_wheel_has_every_file_of_the_package(checkout: Path) -> None:
    with zipfile.ZipFile(next((checkout / "dist").glob("trilha-*.whl"))) as wheel:
        packed = {f"src/{name}" for name in wheel.namelist()}
    names = _git(checkout, "ls-files", "src").splitlines()
    links = [checkout / name for name in names if (checkout / name).is_dir()]
    assert links, "the guides are a link to docs/guides"
    linked = {str(path.relative_to(checkout)) for link in links for path in link.rglob("*") if path.is_file()}
    assert {name for name in names if checkout / name not in links} | linked <= packed


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("1.0", "three numbers"),
        ("0.9.0", "higher than"),
        ("9.0.0", "no entry under Unreleased"),
    ],
)
def test_refuses_a_version(checkout: Path, version: str, reason: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "docs.release", version],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert reason in done.stderr
    assert _git(checkout, "status", "--porcelain") == ""


def test_an_installation_from_a_checkout_is_upgraded_to_the_newest_release(checkout: Path) -> None:
    """The version has a tag, and the main branch is ahead of it."""
    opt = checkout.parent / "opt"
    _git(checkout, "commit", "--quiet", "--allow-empty", "--message=Go on")
    _git(checkout, "push", "--quiet", "origin", "HEAD")
    (script,) = [each for each in _commands("howto/run-under-systemd.md", "## Upgrade") if "checkout" in each]
    calls = 'systemctl() { echo "systemctl $@"; }\nmake() { echo "make $@"; }\n'
    output = _bash(calls + script.replace("/opt/trilha", str(opt)), opt.parent)
    assert output.splitlines() == ["systemctl stop trilha", f"make -C {opt} setup", "systemctl start trilha"]
    assert _git(opt, "describe", "--tags") == f"v{NEXT}"


@pytest.fixture(scope="module")
def installed(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the wheel installed as the quickstart says, and without the checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    folder.chmod(0o711)
    shutil.copy(next((checkout / "dist").glob("trilha-*.whl")), folder)
    (block,) = [each for each in _commands("quickstart.md", "# Quickstart") if "trilha-*.whl" in each]
    *install, start = block.splitlines()
    assert start == ".venv/bin/trilha up --demo"
    _bash("\n".join(install), folder, **_pip())
    return folder


def _pip() -> dict[str, str]:
    """Returns an environment in which pip installs quickly and without a network."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {
        "PATH": f"{sysconfig.get_config_var('BINDIR')}:{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheelhouse(python)),
        "PIP_NO_COMPILE": "1",
    }


def test_an_installation_from_a_wheel_is_set_up_and_upgraded_as_the_page_says(installed: Path) -> None:
    page = "howto/run-under-systemd.md"
    (install, *_), (upgrade, *_) = _commands(page, "## Install it"), _commands(page, "## Upgrade")
    script = f'systemctl() {{ echo "systemctl $@"; }}\n{install}{upgrade}'
    output = _bash(script.replace("/opt/trilha", str(installed)), installed, **_pip())
    assert f"trilha=={NEXT}" in output or f"trilha {NEXT}" in output
    assert output.splitlines()[-1] == "systemctl start trilha"


def test_the_wheel_has_what_browsers_and_certificates_load(installed: Path) -> None:
    def digests(python: Path) -> dict[str, str]:
        done = subprocess.run([python, "-c", ASSETS], cwd=installed, capture_output=True, check=True)
        return dict(json.loads(done.stdout))

    assert digests(installed / ".venv" / "bin" / "python") == digests(Path(sys.executable))


def test_the_wheel_runs_the_demo_outside_the_checkout(installed: Path) -> None:
    port = free_port()
    environment = os.environ | {"TRILHA_PORT": str(port)}
    command = [installed / ".venv" / "bin" / "trilha", "up", "--demo"]
    url = f"http://127.0.0.1:{port}"
    with (installed / "up.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=installed, env=environment, stdout=log, stderr=log)

    def is_ready() -> bool:
        assert process.poll() is None, (installed / "up.log").read_text()[-2000:]
        try:
            return httpx2.get(f"{url}/readyz").status_code == 200
        except httpx2.TransportError:
            return False

    try:
        wait_until(is_ready, 240)
        page = httpx2.get(f"{url}/login?tenant=demo").text
        assert "Entrar" in page
        assets = re.findall(r'"(/assets/[^"]+)"', page)
        assert len(assets) == 4
        for asset in assets:
            assert httpx2.get(url + asset).status_code == 200
        assert httpx2.get(f"{url}/openapi.json").json()["info"]["version"] == NEXT
    finally:
        process.terminate()
        process.wait(60)
