"""Detects overload, so that the server refuses at once what it would answer too late.

During a short burst, some requests still begin soon. In a standing queue, even the shortest wait is long
(the idea of CoDel, RFC 8289).
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

_WINDOW_SECONDS = 0.5


class Queue:
    """Watches how long requests wait for their transaction. It is full while the shortest wait exceeds
    `limit` seconds.
    """

    def __init__(self, limit: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._waiting = 0
        self._window_began = clock()
        self._shortest: float | None = None  # of the waits that ended in this window
        self._standing = 0.0  # the shortest wait of the last window

    @property
    def is_full(self) -> bool:
        self._close_window()
        return self._standing > self._limit

    @asynccontextmanager
    async def wait(self) -> AsyncIterator[None]:
        """Measures the wait of a request before its transaction."""
        began = self._clock()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            waited = self._clock() - began
            self._shortest = waited if self._shortest is None else min(self._shortest, waited)
            self._close_window()

    def _close_window(self) -> None:
        elapsed = self._clock() - self._window_began
        if elapsed < _WINDOW_SECONDS:
            return
        if self._shortest is not None:
            self._standing = self._shortest
        elif self._waiting:
            self._standing += elapsed
        else:
            self._standing = 0.0
        self._window_began, self._shortest = self._clock(), None
