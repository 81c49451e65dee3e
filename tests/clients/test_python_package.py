"""The Python client's wheel and source install into a fresh environment, with its types."""

import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from markdown_pages import ROOT
from trilha import __version__

FOLDER = ROOT / "clients" / "python"
# What the client needs, and what that needs.
NEEDS = ("anyio", "h11", "httpcore2", "httpx2", "idna", "truststore", "typing-extensions")
PROGRAM = """
import trilha_client
from trilha_client import AsyncTrilha, Trilha, models, webhooks

Trilha("http://127.0.0.1:1", api_key="x", max_retries=0)
print(trilha_client.__version__, webhooks.verify(b"", "t=1,v1=", "x"), models.User.__name__)
"""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", folder]
    subprocess.run(command, cwd=FOLDER, check=True, capture_output=True)
    return folder


def test_the_wheel_and_the_source_have_every_file(dist: Path) -> None:
    names = {path.name for path in (FOLDER / "src" / "trilha_client").iterdir() if path.is_file()}
    with zipfile.ZipFile(dist / f"trilha_client-{__version__}-py3-none-any.whl") as wheel:
        assert names == {Path(name).name for name in wheel.namelist() if name.startswith("trilha_client/")}
    with tarfile.open(dist / f"trilha_client-{__version__}.tar.gz") as source:
        assert names | {"LICENSE", "README.md", "pyproject.toml"} <= {
            Path(name).name for name in source.getnames()
        }
    assert "py.typed" in names
    assert (FOLDER / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_it_is_installed_and_imported_alone(dist: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    needs = tmp_path / "needs.txt"
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / "requirements" / "dev.txt").read_text())
    needs.write_text("\n".join(entry for entry in entries if entry.partition("==")[0] in NEEDS))
    install(python, "--require-hashes", "--only-binary=:all:", "-r", str(needs))
    install(python, "--no-index", "--no-deps", str(next(dist.glob("*.whl"))))
    assert "No broken requirements" in run(python, "-m", "pip", "check")
    assert run(python, "-c", PROGRAM) == f"{__version__} False User\n"


def install(python: Path, *arguments: str) -> None:
    command = [python, "-m", "pip", "install", "--quiet", "--no-compile", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution" in done.stderr + done.stdout:
        pytest.skip("pip cannot download the packages")
    assert done.returncode == 0, done.stderr


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
