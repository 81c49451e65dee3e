"""Connections kept open, handed out in turn.

Simpler than the driver's own pool and half its cost per request: a connection comes back with nothing
to reset, since every setting is SET LOCAL and who opened a transaction ended it.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any


class PoolClosed(ConnectionError):
    """No more connections are given out."""


class Pool:
    """At most `size` connections, each made when it is first needed."""

    def __init__(self, connect: Callable[[], Awaitable[Any]], size: int) -> None:
        self._connect = connect
        self._size = size
        self._closed = False
        self._making = 0
        self._open: dict[Any, int] = {}  # and the generation each was made in
        self._generation = 0
        self._idle: list[Any] = []
        # Who waits is given a connection, or None where there is room to make one.
        self._waiting: deque[asyncio.Future[Any]] = deque()

    async def open(self) -> None:
        """Makes the first connection, so that a wrong address fails here."""
        self.release(await self._make())

    async def acquire(self) -> Any:
        """The caller alone has it until `release`. Raises PoolClosed."""
        while not self._closed:
            while self._idle:
                connection = self._idle.pop()
                if not connection.is_closed():
                    return connection
                del self._open[connection]
            if len(self._open) + self._making < self._size:
                return await self._make()
            if (connection := await self._turn()) is not None:
                return connection
        raise PoolClosed

    @property
    def awaited(self) -> bool:
        """True when somebody waits for the next connection that comes back."""
        return bool(self._waiting)

    def release(self, connection: Any) -> None:
        if self._closed or connection.is_closed() or self._open[connection] != self._generation:
            self._drop(connection)
        elif not self._give(connection):
            self._idle.append(connection)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        connection = await self.acquire()
        try:
            yield connection
        finally:
            self.release(connection)

    def renew(self) -> None:
        """Drops every connection: idle ones now, the others when they come back."""
        self._generation += 1
        while self._idle:
            self._drop(self._idle.pop())

    async def close(self) -> None:
        """Refuses who waits, and waits for the connections that are out."""
        self._closed = True
        while self._give(None):
            pass
        while self._idle:
            self._drop(self._idle.pop())
        while self._open:
            await self._turn()

    def _drop(self, connection: Any) -> None:
        del self._open[connection]
        connection.terminate()
        self._give(None)

    def _give(self, connection: Any) -> bool:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(connection)
                return True
        return False

    async def _make(self) -> Any:
        self._making += 1
        try:
            connection = await self._connect()
        except BaseException:
            self._give(None)
            raise
        finally:
            self._making -= 1
        self._open[connection] = self._generation
        return connection

    async def _turn(self) -> Any:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            if waiting.done() and not waiting.cancelled():
                # Given a turn and cancelled at that moment: the next in line has it.
                given = waiting.result()
                if given is None:
                    self._give(None)
                else:
                    self.release(given)
            raise
