"""Of the answers that one address leaves unread, some are kept for it."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from running import wait_until
from trilha.core.web.connections import Bounds, Connections
from trilha.core.web.unread import acknowledged

MOST = 64
Pair = tuple[socket.socket, socket.socket]  # the server's end and the client's
Connect = Callable[[str], Pair]


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=200) as each:
        yield each


@pytest.fixture
def connect(server: socket.socket) -> Iterator[Connect]:
    """A connection with more for its client than that has room for."""
    with ExitStack() as stack:

        def made(address: str) -> Pair:
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.bind((address, 0))
            client.connect(server.getsockname())
            ours = stack.enter_context(server.accept()[0])
            ours.setblocking(False)
            fill(ours)
            return ours, client

        yield made


def fill(ours: socket.socket) -> None:
    while True:
        try:
            ours.send(b"x" * 65536)
        except BlockingIOError:
            return


def is_shut(ours: socket.socket) -> bool:
    try:
        ours.send(b"x")
    except BrokenPipeError:
        return True
    except BlockingIOError:
        pass
    return False


def test_of_one_address_so_many_are_kept(server: socket.socket, connect: Connect) -> None:
    connections = Connections(Bounds(server.getsockname()[1], 16_384, 512, 60), set)
    unread = [connect("127.0.0.21") for _ in range(MOST + 10)]
    other = [connect("127.0.0.22") for _ in range(10)]
    assert connections.look() == 0  # so far, each may be about to read

    def shut() -> int:
        connections.look()
        return sum(is_shut(ours) for ours, _ in unread)

    wait_until(lambda: shut() >= 10)  # the kernel still hands over what there is room for
    assert shut() == 10
    assert not any(is_shut(ours) for ours, _ in other)


def test_who_reads_now_and_then_is_left_alone(server: socket.socket, connect: Connect) -> None:
    connections = Connections(Bounds(server.getsockname()[1], 16_384, 512, 60), set)
    reading = [connect("127.0.0.23") for _ in range(MOST + 10)]
    for _ in range(4):
        assert connections.look() == 0
        for ours, client in reading:
            read_some(ours, client)


def read_some(ours: socket.socket, client: socket.socket) -> None:
    """Until the kernel has told the server's end of it."""
    before = acknowledged(ours.fileno())

    def read() -> bool:
        client.recv(65536)
        fill(ours)
        return acknowledged(ours.fileno()) > before

    wait_until(read)
