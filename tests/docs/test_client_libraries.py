"""The generated parts of the client libraries."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from docs.clients.description import list_operations

from markdown_pages import ROOT


def generate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "docs.clients", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_are_fresh() -> None:
    done = generate(ROOT, "--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stale_one_is_named_and_mended(tmp_path: Path) -> None:
    for name in ("docs", "clients"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    file = tmp_path / "clients" / "python" / "src" / "trilha_client" / "_resources.py"
    fresh = file.read_text()
    file.write_text(fresh.replace("def suspend(", "def stop("))
    done = generate(tmp_path, "--check")
    assert (done.returncode, done.stderr) == (
        1,
        "clients/python/src/trilha_client/_resources.py no longer agree with the API; run `make docs`.\n",
    )
    assert generate(tmp_path).returncode == 0
    assert file.read_text() == fresh


def test_two_methods_of_one_name_are_refused() -> None:
    operation = {"description": "", "responses": {"204": {}}}
    paths = {
        "/users/one": {"get": {**operation, "operationId": "get_user"}},
        "/users/two": {"get": {**operation, "operationId": "get_users"}},
    }
    with pytest.raises(ValueError, match=r"named users\.get"):
        list_operations({"paths": paths, "components": {"schemas": {}}})
