"""Runs and type-checks the Python code of the page about the Python client, and of the client's README."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.python_client.company import SCOPES, Company, company_on_server
from markdown_pages import ROOT, blocks
from npm import CACHE

PAGE = ROOT / "docs" / "howto" / "use-the-python-client.md"
README = ROOT / "clients" / "python" / "README.md"
PROGRAMS = [block for page in (PAGE, README) for block in blocks(page) if block.language == "python"]


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    with company_on_server(tmp_path_factory.mktemp("page")) as company:
        yield company


def write(folder: Path, company: Company | None = None) -> list[Path]:
    """Writes each program into a file, with the running server for the one that the README names."""
    files = []
    for number, block in enumerate(PROGRAMS):
        text = block.text
        if company:
            text = text.replace("https://learn.example.com", company.url).replace("trl_live_…", company.key)
        files.append(folder / f"program{number}.py")
        files[-1].write_text(text)
    return files


def test_the_programs_run_one_after_the_other(company: Company, tmp_path: Path) -> None:
    app = company.issue_client(SCOPES)
    environment = os.environ | {
        "TRILHA_URL": company.url,
        "TRILHA_API_KEY": company.key,
        "CLIENT_ID": app["client_id"],
        "CLIENT_SECRET": app["client_secret"],
    }
    outputs = []
    for file in write(tmp_path, company):
        done = subprocess.run(
            [sys.executable, file], env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), file.read_text()
        outputs.append(done.stdout)
    assert "NOT_STARTED" in outputs[0]
    assert any(output.startswith("email_exists 409 req_") for output in outputs)


def test_the_programs_have_the_types_of_the_client(tmp_path: Path) -> None:
    assert check_types(write(tmp_path)) == ""


def test_a_wrong_member_or_argument_is_found(tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    program.write_text(
        "from trilha_client import Trilha\n"
        "client = Trilha()\n"
        'client.users.create(email="a@example.com")\n'
        'client.users.list(status="GONE")\n'
        'client.users.get("x")["nickname"]\n'
        "client.users.update(7)\n"
    )
    lines = {int(line.split(":")[1]) for line in check_types([program]).splitlines()}
    assert lines == {3, 4, 5, 6}


def check_types(files: list[Path]) -> str:
    """Returns what mypy complains about."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--no-error-summary",
        "--hide-error-context",
    ]
    cache = f"--cache-dir={CACHE / 'mypy'}"
    done = subprocess.run([*command, cache, *files], capture_output=True, text=True, check=False)
    return "".join(line for line in done.stdout.splitlines(keepends=True) if ": error:" in line)


def test_shows_every_kind_of_error() -> None:
    import trilha_client

    text = PAGE.read_text()
    errors = [name for name in trilha_client.__all__ if name.endswith("Error")]
    assert [name for name in errors if f"`{name}`" not in text] == []
