"""A receiver on loopback whose answers can be set byte by byte."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Call:
    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`answers` are used in turn, and the last one is repeated: a status, or what to do instead."""

    answers: list[int | Answer] = field(default_factory=lambda: [204])
    calls: list[Call] = field(default_factory=list)
    connections: int = 0
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while (call := await _read(reader)) is not None:
                self.calls.append(call)
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if callable(answer):
                    await answer(reader, writer)
                    return
                body = b"" if answer == 204 else b"content-length: 2\r\n\r\nok"
                writer.write(b"HTTP/1.1 %d X\r\n" % answer + (body or b"\r\n"))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Call | None:
    head = await reader.readuntil(b"\r\n\r\n")
    line, *rest = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in rest if each)}
    return Call(line, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


@asynccontextmanager
async def receiving(*answers: int | Answer, **options: Any) -> AsyncIterator[Receiver]:
    receiver = Receiver(list(answers) or [204])
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, **options)
    scheme = "https" if "ssl" in options else "http"
    receiver.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    try:
        yield receiver
    finally:
        server.close()
