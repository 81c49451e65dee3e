"""The client side of the load: the connections that a proxy keeps open to Trilha, on one event loop.

It takes the place of nginx in `deploy/nginx.conf`: a request uses the most recently used connection, or opens
a new one.
"""

import asyncio
import re
from collections.abc import Callable
from time import perf_counter
from typing import cast

import msgspec

# Called with the status and the whole answer; status 0 if none came.
Answered = Callable[[int, bytes], None]
LOST = 0
# The idle timeout in seconds. Like nginx's, it is shorter than TRILHA_KEEP_ALIVE.
_IDLE_SECONDS = 8.0
# The player's timeout.
_ANSWER_SECONDS = 20.0
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_RETRY_AFTER = re.compile(rb"\r\nretry-after: *(\d+)", re.IGNORECASE)


class Tally(msgspec.Struct):
    """The results of requests of one kind. Times are in milliseconds."""

    times: list[float] = msgspec.field(default_factory=list)
    refusals: list[float] = msgspec.field(default_factory=list)
    refusals_without_retry_after: int = 0
    errors: dict[str, int] = msgspec.field(default_factory=dict)

    @property
    def failed(self) -> int:
        return sum(self.errors.values())

    def refuse(self, sent: float, answer: bytes) -> None:
        self.refusals.append((perf_counter() - sent) * 1000)
        self.refusals_without_retry_after += retry_after(answer) is None

    def fail(self, status: int, answer: bytes) -> None:
        body = answer.partition(b"\r\n\r\n")[2]
        name = "no answer" if status == LOST else f"{status} {body[:120].decode(errors='replace')}"
        if name in self.errors or len(self.errors) < 20:
            self.errors[name] = self.errors.get(name, 0) + 1
        else:
            self.errors["others"] = self.errors.get("others", 0) + 1


def retry_after(answer: bytes) -> float | None:
    match = _RETRY_AFTER.search(answer)
    return float(match[1]) if match else None


class Proxy:
    """Sends requests, each on its own connection while it lasts."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.idle: list[_Connection] = []
        self.busy: set[_Connection] = set()
        self.loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[object]] = set()
        self.loop.call_later(1, self._give_up_late)

    def send(self, request: bytes, answered: Answered) -> None:
        now = perf_counter()
        while self.idle:
            connection = self.idle.pop()
            if now - connection.used_at < _IDLE_SECONDS and connection.is_open:
                connection.send(request, answered)
                return
            connection.close()
        self._open(_Connection(self), request, answered)

    def _open(self, connection: "_Connection", request: bytes, answered: Answered) -> None:
        connection.expect(request, answered)
        task = self.loop.create_task(self._connect(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, connection: "_Connection") -> None:
        try:
            await self.loop.create_connection(lambda: connection, "127.0.0.1", self.port)
        except OSError:
            connection.finish(LOST, b"")

    def _give_up_late(self) -> None:
        deadline = perf_counter() - _ANSWER_SECONDS
        for connection in [each for each in self.busy if each.sent_at < deadline]:
            connection.close()
            connection.finish(LOST, b"")
        self.loop.call_later(1, self._give_up_late)


class _Connection(asyncio.Protocol):
    """One connection, with at most one request at a time."""

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self.transport: asyncio.Transport | None = None
        self.is_open = True
        self.used_at = self.sent_at = 0.0
        self.request = b""
        self.buffer = b""
        self.answered: Answered | None = None

    def send(self, request: bytes, answered: Answered) -> None:
        self.expect(request, answered)
        assert self.transport is not None
        self.transport.write(request)

    def expect(self, request: bytes, answered: Answered) -> None:
        self.sent_at = perf_counter()
        self.request, self.answered = request, answered
        self.proxy.busy.add(self)

    def close(self) -> None:
        self.is_open = False
        if self.transport is not None:
            self.transport.abort()

    def finish(self, status: int, answer: bytes) -> None:
        answered, self.answered = self.answered, None
        self.proxy.busy.discard(self)
        if answered is not None:
            answered(status, answer)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        if self.is_open:
            self.transport.write(self.request)
        else:
            self.transport.abort()

    def connection_lost(self, _: Exception | None) -> None:
        self.is_open = False
        self.finish(LOST, b"")

    def data_received(self, data: bytes) -> None:
        if self.buffer:
            data = self.buffer + data
        head_end = data.find(b"\r\n\r\n")
        if head_end < 0 or not _is_whole(data, head_end):
            self.buffer = data
            return
        self.buffer = b""
        self.used_at = perf_counter()
        if b"\r\nconnection: close" in data[:head_end].lower():
            self.close()
        else:
            self.proxy.idle.append(self)
        self.finish(int(data[9:12]), data)


def _is_whole(data: bytes, head_end: int) -> bool:
    length = _LENGTH.search(data, 0, head_end + 2)
    if length is None:
        return data.endswith(b"\r\n0\r\n\r\n") or data[9:12] in (b"204", b"304")
    return len(data) - head_end - 4 >= int(length[1])
