"""A server of its own, for the clients that generators make."""

from collections.abc import Iterator

import pytest

from running import Running, running


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


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(tmp_path_factory.mktemp("clients")) as server:
        yield Served(server)
