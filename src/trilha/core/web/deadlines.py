"""How long a client may take with its part of an exchange.

The server itself ends a connection whose head does not come, and the kernel one whose answer is not taken;
what is here is what only the application sees: the body, and an answer that is made while it is sent.
"""

import asyncio
from typing import Any

from msgspec import Struct

from trilha.core.errors import RequestTimeout

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

    __slots__ = ("_deadlines", "_large", "_loop", "_started", "size")

    def __init__(self, deadlines: Deadlines, most: int) -> None:
        """`most` is how many bytes it may have: of a large one only the rate is bounded, not the whole."""
        self._deadlines = deadlines
        self._large = most > _LARGE_BYTES
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self.size = 0

    async def receive(self, receive: Any) -> dict[str, Any]:
        """The next message of ASGI. Raises RequestTimeout."""
        try:
            async with asyncio.timeout_at(self._started + self._seconds()):
                message: dict[str, Any] = await receive()
        except TimeoutError:
            raise RequestTimeout from None
        self.size += len(message.get("body", b""))
        return message

    def _seconds(self) -> float:
        """Counted from the beginning, when the next piece must be here."""
        deadlines = self._deadlines
        whole = deadlines.body + (self.size / _LARGE_RATE if self._large else 0)
        return min(whole, deadlines.body_grace + self.size / deadlines.body_rate)
