"""`trilha serve` announces that it stops: `/readyz` answers 503 while requests are still served."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

from running import Running, free_port, running, wait_until

DELAY = 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("server")) as server:
        yield server


@contextmanager
def serving(server: Running, delay: int) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Runs a second `trilha serve` on the same database. Yields its address and its process."""
    port = free_port()
    variables = {
        "TRILHA_DATA_DIR": str(server.folder / "data"),
        "TRILHA_DATABASE_URL": server.database_url(),
        "TRILHA_PORT": str(port),
        "TRILHA_WORKERS": "2",
        "TRILHA_SHUTDOWN_DELAY": str(delay),
    }
    with (server.folder / "serve.log").open("ab") as log:
        command = [sys.executable, "-m", "trilha", "serve"]
        process = subprocess.Popen(command, env=os.environ | variables, stderr=log)
    try:
        wait_until(lambda: status(f"http://127.0.0.1:{port}/readyz") == 200)
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


def status(url: str) -> int:
    """Returns the status of a request on a new connection, and 0 if there is none."""
    try:
        return httpx2.get(url, timeout=10).status_code
    except httpx2.TransportError:
        return 0


def test_it_still_serves_while_it_is_not_ready(server: Running) -> None:
    with serving(server, DELAY) as (url, process):
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        wait_until(lambda: status(f"{url}/readyz") == 503)
        assert httpx2.get(f"{url}/readyz").json() == {"status": "unavailable", "reason": "shutdown"}
        while time.monotonic() - began < DELAY - 1:
            # Both processes know it, and still serve.
            assert [status(f"{url}{path}") for path in ("/readyz", "/livez", "/verify")] == [503, 200, 200]
        assert process.wait(30) == 0
        assert time.monotonic() - began >= DELAY
        assert status(f"{url}/livez") == 0


@pytest.mark.parametrize(("delay", "signals"), [(0, 1), (600, 2)])
def test_it_stops_at_once(server: Running, delay: int, signals: int) -> None:
    """Without a delay, or at a second signal."""
    with serving(server, delay) as (url, process):
        process.send_signal(signal.SIGTERM)
        if signals == 2:
            wait_until(lambda: status(f"{url}/readyz") == 503)
            process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
