"""Generators turn the description into clients that compile and work. `make clients` tests all of them."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from clients.generated import Generated
from clients.generators import GENERATORS
from running import Running, running

LISTED = {
    "email": "ana.lima@example.com",
    "name": "Ana Lima",
    "department": "Logística",
    "cnh": {"numero": "98765432109", "categoria": "AB", "validade": "2031-03-09", "ear": True},
}
pytestmark = pytest.mark.timeout(1800)


class Served:
    """A running server, and the key of a new tenant with one person to list."""

    def __init__(self, server: Running) -> None:
        self.url = server.url
        server.command("tenant", "create", "--slug", "typed", "--name", "Typed")
        scopes = "users:read,users:write"
        issued = server.command(
            "api-key", "create", "--tenant", "typed", "--name", "client", "--scopes", scopes
        )
        self.key = issued["key"]
        self.api = httpx2.Client(base_url=f"{self.url}/v1", headers={"Authorization": f"Bearer {self.key}"})
        self.api.post("/users", json=LISTED).raise_for_status()

    def person(self, email: str) -> dict[str, object]:
        [found] = self.api.get("/users", params={"email": email}).json()["data"]
        return dict(found)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(tmp_path_factory.mktemp("clients")) as server:
        yield Served(server)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * each.long) for name, each in GENERATORS.items()]
)
def test_makes_a_client_that_works(name: str, served: Served, tmp_path: Path) -> None:
    """A list, a create with `cnh: null`, and a refused call whose error is read as the described type."""
    began = time.monotonic()
    print(f"\n{name}:", end="", flush=True)
    client = Generated(GENERATORS[name], tmp_path, TRILHA_URL=served.url, TRILHA_KEY=served.key)
    (tmp_path / "openapi.json").write_bytes(httpx2.get(f"{served.url}/openapi.json").content)
    client.generate()
    print(" generated", end="", flush=True)
    client.compile()
    print(", compiled", end="", flush=True)
    listed, created, refused = client.call()
    assert listed == "list 1 ana.lima@example.com *********09 true"
    _, email, role, has_no_cnh = created.split()
    assert (role, has_no_cnh) == ("learner", "true")
    assert served.person(email)["cnh"] is None
    assert refused == "refused 400 validation_error invalid_cpf cpf"
    print(f", list, create, refused ({time.monotonic() - began:.0f} s)")
    shutil.rmtree(tmp_path)  # a compiled client is up to 100 MB
