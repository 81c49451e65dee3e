"""What becomes of connections that ask for nothing, or do not take what they asked for."""

import select
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import psutil
import pytest

from running import Running, running, wait_until
from slow_clients import KINDS

PER_ADDRESS = 16
SECONDS = 2


@pytest.fixture(scope="module")
def trilha(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    variables = {
        "TRILHA_CONNECTIONS_PER_ADDRESS": str(PER_ADDRESS),
        "TRILHA_HEAD_TIMEOUT": str(SECONDS),
        "TRILHA_BODY_TIMEOUT": str(SECONDS),
        "TRILHA_ANSWER_TIMEOUT": str(SECONDS),
    }
    with running(tmp_path_factory.mktemp("connections"), **variables) as each:
        yield each


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as each:
        yield each


def connect(
    trilha: Running, stack: ExitStack, address: str, sent: bytes = b"", room: int = 0
) -> socket.socket:
    each = stack.enter_context(socket.socket())
    if room:
        each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    each.bind((address, 0))
    each.connect(("127.0.0.1", trilha.port))
    each.sendall(sent)
    return each


def ended(connections: Sequence[socket.socket], many: int, seconds: float = 20) -> set[int]:
    """The numbers of those that the server has ended, once there are so many of them."""
    poll, found = select.poll(), set[int]()
    by_file = {each.fileno(): number for number, each in enumerate(connections)}
    for file in by_file:
        poll.register(file, select.POLLRDHUP)
    deadline = time.monotonic() + seconds
    while len(found) < many and time.monotonic() < deadline:
        for file, _ in poll.poll(100):
            poll.unregister(file)
            found.add(by_file[file])
    return found


def test_the_oldest_that_ask_for_nothing_are_shut(trilha: Running, stack: ExitStack) -> None:
    asking = connect(trilha, stack, "127.0.0.9", KINDS["body"])
    other = connect(trilha, stack, "127.0.0.10")
    idle = [connect(trilha, stack, "127.0.0.9") for _ in range(PER_ADDRESS * 2)]
    # One of those that may stay is the one that asks.
    assert ended(idle, PER_ADDRESS + 1, SECONDS / 2) == set(range(PER_ADDRESS + 1))
    assert ended([asking, other], 1, 0) == set()


WAITING = {
    "nothing": (KINDS["idle"], b""),
    "half a head": (KINDS["head"], b""),
    "nothing more": (b"GET /livez HTTP/1.1\r\nhost: a\r\n\r\n", b"200 OK"),
    "half a body": (KINDS["body"], b"408 Request Timeout"),
    "half a body to health": (KINDS["health"], b"408 Request Timeout"),
}


@pytest.fixture(scope="module")
def waited(trilha: Running) -> dict[str, tuple[float, bytes]]:
    """How long each was left to wait, and what it was told. All wait at once."""
    with ExitStack() as stack:
        started = time.monotonic()
        waiting = {
            name: connect(trilha, stack, f"127.0.0.{11 + number}", sent)
            for number, (name, (sent, _)) in enumerate(WAITING.items())
        }
        told: dict[str, tuple[float, bytes]] = {}
        while len(told) < len(WAITING):
            names = [name for name in waiting if name not in told]
            found = ended([waiting[name] for name in names], 1)
            assert found, f"open after 20 s: {names}"
            for number in found:
                answer = waiting[names[number]].recv(4096)
                told[names[number]] = time.monotonic() - started, answer
    return told


@pytest.mark.parametrize("name", WAITING)
def test_who_waits_too_long_is_closed(waited: dict[str, tuple[float, bytes]], name: str) -> None:
    seconds, told = waited[name]
    assert SECONDS * 0.9 < seconds < SECONDS * 3
    assert told.partition(b"\r\n")[0].removeprefix(b"HTTP/1.1 ") == WAITING[name][1]


def test_an_answer_that_is_not_read_ends_its_connection(trilha: Running, stack: ExitStack) -> None:
    each = connect(trilha, stack, "127.0.0.30", KINDS["unread"] * 4, room=4096)
    wait_until(lambda: in_the_kernel(trilha, each) != [])
    # Nobody tells the client, which would not hear it.
    wait_until(lambda: in_the_kernel(trilha, each) == [], SECONDS * 6)


def in_the_kernel(trilha: Running, client: socket.socket) -> list[str]:
    """The state of the server's end of a connection, which a process need not have any more."""
    ends = trilha.port, client.getsockname()[1]
    return [
        each.status
        for each in psutil.net_connections("tcp")
        if each.raddr and (each.laddr.port, each.raddr.port) == ends
    ]
