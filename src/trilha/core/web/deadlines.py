"""Time limits for a client's part of an exchange.

The proxy in front limits the time of request headers, and buffers responses for slow clients.
"""

import asyncio
from typing import Any

from msgspec import Struct

from trilha.core.errors import BadRequest, RequestTimeout

# A larger body may take longer than the time limit if it arrives at this rate in bytes per second.
_LARGE_BYTES = 4 * 1024 * 1024
_LARGE_RATE = 64 * 1024


class Deadlines(Struct, frozen=True):
    """Time limits in seconds, and a rate in bytes per second. The rate is checked after `body_grace`."""

    body: float = 20
    body_rate: int = 1024
    answer: float = 60
    body_grace: float = 5


class Arrival:
    """The receipt of one body."""

    __slots__ = ("_deadlines", "_most", "_receive", "_size", "_started", "more")

    def __init__(self, deadlines: Deadlines, limit: int, receive: Any) -> None:
        """`limit` is the maximum size in bytes. For a large body, only the rate is limited and not the total
        time.

        `receive` returns the next ASGI message.
        """
        self._deadlines = deadlines
        self._most = limit
        self._receive = receive
        self._started = asyncio.get_running_loop().time()
        self._size = 0
        self.more = True

    async def receive(self) -> bytes:
        """Returns the next piece. Raises RequestTimeout, and BadRequest if the body is too long or
        incomplete.
        """
        try:
            async with asyncio.timeout_at(self._started + self._seconds()):
                message: dict[str, Any] = await self._receive()
        except TimeoutError:
            raise RequestTimeout from None
        if message["type"] == "http.disconnect":
            raise BadRequest("malformed_json")
        piece: bytes = message.get("body", b"")
        self._size += len(piece)
        if self._size > self._most:
            raise BadRequest("payload_too_large")
        self.more = message.get("more_body", False)
        return piece

    def _seconds(self) -> float:
        """Returns the seconds since the start by which the next piece must arrive."""
        deadlines = self._deadlines
        whole = deadlines.body + (self._size / _LARGE_RATE if self._most > _LARGE_BYTES else 0)
        return min(whole, deadlines.body_grace + self._size / deadlines.body_rate)
