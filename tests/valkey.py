"""A Redis server of the machine, for tests of rate limits."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from running import free_port, wait_until

_PROGRAM = next((found for name in ("valkey-server", "redis-server") if (found := shutil.which(name))), None)


class LimitsServer:
    """Stores nothing on disk, so it has forgotten everything when it starts again."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        with (self._folder / "valkey.log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(_PROGRAM), *options], cwd=self._folder, stdout=log, stderr=log
            )
        wait_until(self._accepts)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _accepts(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(7) == b"+PONG\r\n"
        return False


def require_limits_server() -> None:
    """Skips the test where neither Valkey nor Redis is installed, but not in CI."""
    if _PROGRAM is None:
        assert "CI" not in os.environ, "CI installs redis-server"
        pytest.skip("neither valkey-server nor redis-server is installed")


@contextmanager
def limits_server(folder: Path) -> Iterator[LimitsServer]:
    require_limits_server()
    server = LimitsServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
