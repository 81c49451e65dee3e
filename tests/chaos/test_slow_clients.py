"""Clients that occupy connections and send little. As deployed, behind the proxy, they do not delay other
clients; without a proxy, the server recovers when they leave.
"""

import http.client
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

from proxy import ADDRESS, Proxy, proxy
from running import Running, running, wait_until
from slow_clients import KINDS, slow_clients

MIB = 1024 * 1024
# How long an answer may take, whatever other clients do.
SECONDS = 1.0
LONG_SECONDS = int(os.environ.get("CHAOS_SECONDS", "30"))


@pytest.fixture(scope="module")
def trilha(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("slow"), TRILHA_TRUSTED_PROXIES=ADDRESS) as each:
        each.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        yield each


@pytest.fixture(scope="module")
def key(trilha: Running) -> str:
    made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", "users:read")
    key: str = made["key"]
    return key


@pytest.fixture(scope="module")
def deployed(trilha: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with proxy(tmp_path_factory.mktemp("proxy"), trilha.port) as each:
        yield each


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("crowds", "seconds"),
    [
        ([(1200, 1)], 1),
        pytest.param(
            [(5000, 1), (2000, 50)], LONG_SECONDS, marks=[pytest.mark.long, pytest.mark.timeout(3600)]
        ),
    ],
    ids=["short", "long"],
)
def test_nobody_else_waits(
    trilha: Running,
    deployed: Proxy,
    key: str,
    kind: str,
    crowds: Sequence[tuple[int, int]],
    seconds: float,
) -> None:
    before = _memory(trilha)
    with ExitStack() as stack:
        for count, addresses in crowds:
            stack.enter_context(slow_clients(deployed.port, kind, count, addresses))
        memory, slowest = [_memory(trilha)], 0.0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            slowest = max(slowest, *(_ask(deployed.port, key, path) for path in ("/livez", "/v1/users")))
            memory.append(_memory(trilha))
    print(
        f"{kind}, {crowds}: slowest {slowest * 1000:.0f} ms; memory {before // MIB} MiB before, "
        f"{memory[0] // MIB} at first, {max(memory) // MIB} at most",
        flush=True,
    )
    assert slowest < SECONDS
    half = len(memory) // 2
    assert max(memory[half:]) < max(memory[:half]) + 16 * MIB


@pytest.mark.parametrize("kind", KINDS)
def test_without_the_proxy_it_recovers(trilha: Running, key: str, kind: str) -> None:
    with slow_clients(trilha.port, kind, 1200):
        pass
    wait_until(lambda: _answers(trilha.port, key), 10)


def _answers(port: int, key: str) -> bool:
    try:
        return all(_ask(port, key, path) < SECONDS for path in ("/livez", "/v1/users"))
    except (OSError, AssertionError, pytest.fail.Exception):
        return False


def _ask(port: int, key: str, path: str) -> float:
    """Measures how long a client with another address waits for an answer, including its connection."""
    started = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5, source_address=("127.0.1.1", 0))
    try:
        connection.request("GET", path, headers={"authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        answer.read()
    except TimeoutError:
        pytest.fail(f"{path} was not answered within 5 s")
    finally:
        connection.close()
    assert answer.status == 200
    return time.monotonic() - started


def _memory(trilha: Running) -> int:
    """Returns the bytes of memory that the serving processes use."""
    return sum(each.memory_info().rss for each in trilha.children("serve"))
