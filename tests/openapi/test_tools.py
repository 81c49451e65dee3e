"""What others make of the description: linters read it, generators make clients that work."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from npm import CACHE, installed, node
from openapi.described import DOCUMENTS
from running import Running, running

HERE = Path(__file__).parent
PYTHON_CALL = """
import os
from client.api.users import create_user, get_user
from client.client import AuthenticatedClient
from client.models import CreatedUser, UserCreate, UserEnvelope

http = AuthenticatedClient(base_url=os.environ["TRILHA_URL"] + "/v1", token=os.environ["TRILHA_KEY"])
made = create_user.sync(client=http, body=UserCreate(email="generated@example.com", name="Gerada"))
assert isinstance(made, CreatedUser), made
read = get_user.sync(user_id=made.data.id, client=http)
assert isinstance(read, UserEnvelope), read
print(read.data.email)
"""


class Served:
    """A running server, and a key of a new tenant on it."""

    def __init__(self, server: Running) -> None:
        self.url = server.url
        server.command("tenant", "create", "--slug", "typed", "--name", "Typed")
        scopes = "users:read,users:write"
        issued = server.command(
            "api-key", "create", "--tenant", "typed", "--name", "client", "--scopes", scopes
        )
        self.key = issued["key"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(tmp_path_factory.mktemp("clients")) as server:
        yield Served(server)


each_description = pytest.mark.parametrize(
    "description", [pytest.param(each.content, id=address) for address, each in DOCUMENTS.items()]
)


@each_description
def test_is_openapi_3_1(description: dict[str, Any]) -> None:
    assert list(OpenAPIV31SpecValidator(description).iter_errors()) == []


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """All descriptions: a linter takes longer to start than to read one."""
    written = [tmp_path / f"{number}.json" for number in range(len(DOCUMENTS))]
    for file, each in zip(written, DOCUMENTS.values(), strict=True):
        file.write_text(json.dumps(each.content))
    return list(map(str, written))


def test_spectral_finds_nothing(files: list[str], tmp_path: Path) -> None:
    shutil.copy(HERE / ".spectral.yaml", tmp_path)
    told = node(
        "spectral",
        *("lint", *files, "--ruleset", str(tmp_path / ".spectral.yaml")),
        *("--fail-severity", "hint", "--format", "text"),
        folder=installed(HERE),
    )
    assert told.returncode == 0, told.stdout + told.stderr


def test_redocly_finds_nothing(files: list[str]) -> None:
    told = node(
        "redocly",
        *("lint", *files, "--extends", "recommended-strict", "--format", "stylish"),
        folder=installed(HERE),
        REDOCLY_TELEMETRY="off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "warning" not in told.stdout + told.stderr


def test_openapi_python_client_makes_a_client_that_works(served: Served, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_bytes(httpx2.get(f"{served.url}/openapi.json").content)
    (tmp_path / "settings.yaml").write_text("post_hooks: []\n")
    (tmp_path / "call.py").write_text(PYTHON_CALL)

    def run(*command: str) -> str:
        environment = {"PATH": "/usr/bin:/bin", "TRILHA_URL": served.url, "TRILHA_KEY": served.key}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    generator = str(Path(sys.executable).with_name("openapi-python-client"))
    told = run(
        generator,
        *("generate", "--path", "openapi.json", "--output-path", "client"),
        *("--meta", "none", "--config", "settings.yaml", "--fail-on-warning"),
    )
    assert "warning" not in told.lower()
    run(sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={CACHE / 'mypy'}", "client", "call.py")
    assert run(sys.executable, "call.py") == "generated@example.com\n"


def test_openapi_typescript_makes_types_that_compile_and_work(served: Served, tmp_path: Path) -> None:
    tools = installed(HERE)
    (tmp_path / "openapi.json").write_bytes(httpx2.get(f"{served.url}/openapi.json").content)
    for name in ("call.ts", "tsconfig.json", "package.json"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(tools / "node_modules")

    def run(tool: str, *arguments: str) -> str:
        told = node(tool, *arguments, folder=tmp_path, TRILHA_URL=served.url, TRILHA_KEY=served.key)
        assert told.returncode == 0, told.stdout + told.stderr
        return told.stdout

    run("openapi-typescript", "openapi.json", "--output", "api.ts")
    run("tsc", "--project", ".")
    assert run("node", "call.js") == "typed@example.com\n"
