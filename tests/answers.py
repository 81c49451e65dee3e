"""Answers of a webhook receiver, most of them broken, and the history of a delivery after one attempt."""

import asyncio
import socket
import struct
from typing import Any

from posting import Post
from receiver import Answer, receiving


def head(*lines: str, status: int = 200) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} X", *lines, "", ""]).encode()


def saying(body: bytes, *lines: str, status: int = 200) -> bytes:
    """Builds a correct response; `lines` are additional header lines."""
    return head(*lines, f"content-length: {len(body)}", status=status) + body


# The start of a response head that never ends.
LINE = head()[:-2]
EMPTY = head(status=204)
CHUNKED = head("transfer-encoding: chunked")
OK = saying(b"ok")
# An HTTP/2 server sends these first, whatever it receives: SETTINGS, then GOAWAY.
HTTP2 = b"\0\0\0\4\0\0\0\0\0" + b"\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0\1"


def sends(*pieces: bytes, then: str = "stay", every: float = 0.01) -> Answer:
    """Sends each piece in its own segment. Then the connection stays open, or ends with `fin` or `reset`."""

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
    """Returns the state of the delivery after its attempt. It must have had exactly one."""
    (attempt,) = delivery["attempt_log"]
    assert (delivery["attempts"], attempt["number"]) == (1, 1)
    assert (delivery["http_status"], delivery["response_body"]) == (
        attempt["http_status"],
        attempt["response_body"],
    )
    return delivery["status"], attempt["http_status"], attempt["error"]


async def attempted(post: Post, answer: int | Answer) -> dict[str, Any]:
    """Returns the delivery after one attempt at a receiver that answers like this."""
    async with receiving(answer) as receiver:
        endpoint = await post.endpoint(receiver.url)
        await post.happen()
        assert await post.send() == 1
        (delivery,) = await post.deliveries(endpoint)
        assert len(receiver.calls) == receiver.connections == 1
    return delivery
