"""Clients that occupy the server's connections and send little: `python -m slow_clients PORT KIND COUNT
ADDRESSES`, in its own process. They connect at some hundred per second, and connect again when the server
closes a connection.

It prints a line once all connections were opened, and ends when its standard input ends.
"""

import os
import resource
import select
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

KINDS = {
    "idle": b"",
    "head": b"GET /v1/users HTTP/1.1\r\nhost: trilha",
    "body": b"POST /oauth/token HTTP/1.1\r\nhost: trilha\r\n"
    b"content-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\ng",
    "health": b"GET /livez HTTP/1.1\r\nhost: trilha\r\ncontent-length: 100\r\n\r\nx",
    "unread": b"GET /openapi.json HTTP/1.1\r\nhost: trilha\r\n\r\n",
}
# The server has to produce the responses that nobody reads. More of them would be a flood, not slow clients.
_A_SECOND = {"unread": 250}


class Clients:
    """Opens `count` connections from the addresses 127.0.0.1, 127.0.0.2, … in turn."""

    def __init__(self, port: int, kind: str, count: int, addresses: int) -> None:
        self._port = port
        self._kind = kind
        self._poll = select.epoll()
        self._open: dict[int, tuple[socket.socket, str]] = {}
        self._to_open = deque(f"127.0.0.{number % addresses + 1}" for number in range(count))
        self._not_tried = count

    def run(self) -> None:
        self._poll.register(0, select.EPOLLIN)
        pace = _A_SECOND.get(self._kind, 1000)
        allowed, last, told = 0.0, time.monotonic(), False
        while True:
            now = time.monotonic()
            allowed, last = min(allowed + (now - last) * pace, pace / 10), now
            while self._to_open and allowed >= 1:
                allowed -= 1
                self._connect(self._to_open.popleft())
            for file, event in self._poll.poll(0.02):
                if file == 0:
                    return
                if event & select.EPOLLOUT and not event & select.EPOLLHUP:
                    self._send(file)
                    self._not_tried -= 1
                else:
                    self._close(file)
            if self._not_tried <= 0 and not told:
                told = True
                print("open", flush=True)

    def _connect(self, address: str) -> None:
        each = socket.socket()
        if self._kind == "unread":
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        each.bind((address, 0))
        each.setblocking(False)
        with suppress(BlockingIOError):
            each.connect(("127.0.0.1", self._port))
        self._open[each.fileno()] = each, address
        self._poll.register(each.fileno(), select.EPOLLOUT)

    def _send(self, file: int) -> None:
        with suppress(OSError):
            self._open[file][0].send(KINDS[self._kind])
        # The client reads nothing and only waits for the end of the connection.
        wanted = select.EPOLLRDHUP if self._kind == "unread" else select.EPOLLIN | select.EPOLLRDHUP
        self._poll.modify(file, wanted)

    def _close(self, file: int) -> None:
        each, address = self._open.pop(file)
        self._poll.unregister(file)
        each.close()
        self._to_open.append(address)


@contextmanager
def slow_clients(port: int, kind: str, count: int, addresses: int = 1) -> Iterator[None]:
    """Runs the clients until the block ends. The block begins when each client has sent its data or failed
    to.
    """
    arguments = [sys.executable, "-m", "slow_clients", str(port), kind, str(count), str(addresses)]
    environment = os.environ | {"PYTHONPATH": os.path.dirname(__file__)}
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            assert select.select([process.stdout], [], [], 60)[0]
            assert process.stdout.readline() == b"open\n"
            yield
        finally:
            process.stdin.close()
            process.wait(30)


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    Clients(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])).run()
