"""Receives webhooks on one event loop: `python -m bench.receiver PORT` prints what arrives.

A path that starts with /hang is never answered. For each line on standard input, it prints one line of JSON:
the number of calls, and the milliseconds between each numbered event and its first byte.
"""

import asyncio
import re
import sys
import time

import msgspec
import uvloop

_ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
# The body's data has the event's number, and the time of its commit (milliseconds since 1970).
_STAMP = re.compile(rb'"number":(\d+),"committed_ms":(\d+)')


class Receiver(asyncio.Protocol):
    calls = 0
    delays: dict[int, float] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.buffer = b""
        self.began = 0.0

    def data_received(self, data: bytes) -> None:
        self.began = self.began or time.time()
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not found or not length or len(body) < int(length[1]):
            return
        hangs = head.startswith(b"POST /hang")
        if not hangs and (stamp := _STAMP.search(body)):
            Receiver.delays.setdefault(int(stamp[1]), self.began * 1000 - int(stamp[2]))
        self.buffer, self.began = b"", 0.0
        Receiver.calls += 1
        if not hangs:
            self.transport.write(_ANSWER)  # type: ignore[attr-defined]


class Seen(msgspec.Struct):
    calls: int
    delays: dict[int, float]


async def main(port: int) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Receiver, "127.0.0.1", port, backlog=4096)
    print("ready", flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(msgspec.json.encode(Seen(Receiver.calls, Receiver.delays)).decode(), flush=True)
    server.close()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
