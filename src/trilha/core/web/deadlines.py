"""How long a client may take with its part of an exchange.

The server itself ends a connection whose head does not come, and the kernel one whose answer is not taken;
what is here is what only the application sees: the body, and an answer that is made while it is sent.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from msgspec import Struct

from trilha.core.errors import BadRequest, RequestTimeout

# What is longer than this may take longer than the usual time, if it comes at this many bytes a second.
_LARGE_BYTES = 4 * 1024 * 1024
_LARGE_RATE = 64 * 1024
# How often the waits of all requests are looked at, in seconds: by so much may one end too late.
_LOOK = 0.1

T = TypeVar("T")


class Deadlines(Struct, frozen=True):
    """Seconds, and bytes a second. A body may get under way for `body_grace` before its rate is looked at."""

    body: float = 20
    body_rate: int = 1024
    answer: float = 60
    body_grace: float = 5


class _Wait:
    """Of one task, until a moment of the event loop's clock."""

    __slots__ = ("is_over", "task", "until")

    def __init__(self, task: "asyncio.Task[Any]", until: float) -> None:
        self.task = task
        self.until = until
        self.is_over = False


class _Waits:
    """How long the requests of one event loop wait for their clients. They are looked at together: a timer
    for each would be a twelfth of what a small request costs, and hardly any is ever needed.
    """

    def __init__(self) -> None:
        self._all: set[_Wait] = set()
        self._is_looking = False

    async def wait(self, awaited: Awaitable[T], until: float, loop: asyncio.AbstractEventLoop) -> T:
        """What `awaited` gives. Raises TimeoutError after that moment, as `asyncio.timeout_at` does."""
        task = asyncio.current_task(loop)
        assert task is not None
        wait = _Wait(task, until)
        self._all.add(wait)
        if not self._is_looking:
            self._is_looking = True
            loop.call_later(_LOOK, self._look)
        try:
            return await awaited
        except asyncio.CancelledError:
            if wait.is_over and not task.uncancel():
                raise TimeoutError from None
            raise  # somebody else wants it to end
        finally:
            self._all.discard(wait)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for wait in self._all:
            if wait.until <= now and not wait.is_over:
                wait.is_over = True
                wait.task.cancel()
        self._is_looking = bool(self._all)
        if self._is_looking:
            loop.call_later(_LOOK, self._look)


_waits: WeakKeyDictionary[asyncio.AbstractEventLoop, _Waits] = WeakKeyDictionary()


def _waits_of(loop: asyncio.AbstractEventLoop) -> _Waits:
    if (found := _waits.get(loop)) is None:
        found = _waits[loop] = _Waits()
    return found


class Arrival:
    """One body on its way in."""

    __slots__ = ("_deadlines", "_loop", "_most", "_receive", "_size", "_started", "_waits", "more")

    def __init__(self, deadlines: Deadlines, most: int, receive: Any) -> None:
        """`most` is how many bytes it may have: of a large one only the rate is bounded, not the whole.

        `receive` gives the next message of ASGI.
        """
        self._deadlines = deadlines
        self._most = most
        self._receive = receive
        self._loop = loop = asyncio.get_running_loop()
        self._started = loop.time()
        self._waits = _waits_of(loop)
        self._size = 0
        self.more = True

    async def receive(self) -> bytes:
        """The next piece. Raises RequestTimeout, and BadRequest where it is too long or breaks off."""
        try:
            message: dict[str, Any] = await self._waits.wait(
                self._receive(), self._started + self._seconds(), self._loop
            )
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
