"""How long a client may take with its part of an exchange.

The proxy in front bounds how long a head takes, and takes answers for clients that are slow to read them.
"""

import asyncio
from typing import Any

from msgspec import Struct

from trilha.core.errors import BadRequest, RequestTimeout

# What is longer than this may take longer than the usual time, if it comes at this many bytes a second.
_LARGE_BYTES = 4 * 1024 * 1024
_LARGE_RATE = 64 * 1024


class Deadlines(Struct, frozen=True):
    """Seconds, and bytes a second. A body may get under way for `body_grace` before its rate is looked at."""

    body: float = 20
    body_rate: int = 1024
    answer: float = 60
    body_grace: float = 5


class Arrival:
    """One body on its way in."""

    __slots__ = ("_deadlines", "_most", "_receive", "_size", "_started", "more")

    def __init__(self, deadlines: Deadlines, most: int, receive: Any) -> None:
        """`most` is how many bytes it may have: of a large one only the rate is bounded, not the whole.

        `receive` gives the next message of ASGI.
        """
        self._deadlines = deadlines
        self._most = most
        self._receive = receive
        self._started = asyncio.get_running_loop().time()
        self._size = 0
        self.more = True

    async def receive(self) -> bytes:
        """The next piece. Raises RequestTimeout, and BadRequest where it is too long or breaks off."""
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
        """Counted from the beginning, when the next piece must be here."""
        deadlines = self._deadlines
        whole = deadlines.body + (self._size / _LARGE_RATE if self._most > _LARGE_BYTES else 0)
        return min(whole, deadlines.body_grace + self._size / deadlines.body_rate)
