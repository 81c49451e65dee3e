"""Ways to answer, most of them bad, and what the history says of one attempt."""

import asyncio
import socket
import struct
from typing import Any

from posting import Post
from receiver import Answer, receiving


def head(*lines: str, status: int = 200) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} X", *lines, "", ""]).encode()


def saying(body: bytes, *lines: str, status: int = 200) -> bytes:
    """An answer as it should be; `lines` are more of its head."""
    return head(*lines, f"content-length: {len(body)}", status=status) + body


# The beginning of a head that goes on.
LINE = head()[:-2]
EMPTY = head(status=204)
CHUNKED = head("transfer-encoding: chunked")
OK = saying(b"ok")
# What an HTTP/2 server says first, whatever it hears: SETTINGS, then GOAWAY.
HTTP2 = b"\0\0\0\4\0\0\0\0\0" + b"\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0\1"


def sends(*pieces: bytes, then: str = "stay", every: float = 0.01) -> Answer:
    """Each piece in a segment of its own; then the connection stays, or ends with `fin` or `reset`."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(every)
        if then == "stay":
            await reader.read()
        elif then == "fin":
            writer.close()
        elif then == "reset":
            writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
            writer.transport.abort()

    return answer


def endlessly(start: bytes, piece: bytes, every: float = 0) -> Answer:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            if every:
                await asyncio.sleep(every)

    return answer


def late(seconds: float) -> Answer:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        writer.write(OK)

    return answer


def summary(delivery: dict[str, Any]) -> tuple[str, int | None, str | None]:
    """The state after its one attempt, which must be all there was."""
    (attempt,) = delivery["attempt_log"]
    assert (delivery["attempts"], attempt["number"]) == (1, 1)
    assert (delivery["http_status"], delivery["response_body"]) == (
        attempt["http_status"],
        attempt["response_body"],
    )
    return delivery["status"], attempt["http_status"], attempt["error"]


async def attempted(post: Post, answer: int | Answer) -> dict[str, Any]:
    """The delivery after one attempt at a receiver that answers so."""
    async with receiving(answer) as receiver:
        endpoint = await post.endpoint(receiver.url)
        await post.happen()
        assert await post.send() == 1
        (delivery,) = await post.deliveries(endpoint)
        assert len(receiver.calls) == receiver.connections == 1
    return delivery
