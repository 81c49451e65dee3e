"""A pool of open connections, lent in the order in which they are asked for.

Simpler than the driver's own pool, and half its cost per request: a connection needs no reset when it comes
back, since every setting is SET LOCAL and `transactions.py` ends what it begins.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from trilha.core.database.failures import Unreachable


class PoolClosed(Unreachable):
    """The pool is closed and lends no more connections."""


class Pool:
    """At most `size` connections, each made when it is first needed."""

    def __init__(self, connect: Callable[[], Awaitable[Any]], size: int) -> None:
        self._connect = connect
        self._size = size
        self._closed = False
        self._making = 0
        self._open: dict[Any, int] = {}  # every connection, with its generation; see `renew`
        self._generation = 0
        self._idle: list[Any] = []
        # Each is resolved with a connection, or with None when a new one may be made.
        self._waiting: deque[asyncio.Future[Any]] = deque()

    async def open(self) -> None:
        """Makes the first connection, so that a wrong URL fails here."""
        self.release(await self._make())

    async def acquire(self, prefers: Callable[[Any], bool] | None = None) -> Any:
        """A connection for the caller alone, until `release`: of the idle ones the last used that it prefers.

        Raises PoolClosed.
        """
        while not self._closed:
            while self._idle:
                connection = self._pop_idle(prefers)
                if not connection.is_closed():
                    return connection
                del self._open[connection]
            if len(self._open) + self._making < self._size:
                return await self._make()
            if (connection := await self._wait_turn()) is not None:
                return connection
        raise PoolClosed

    def _pop_idle(self, prefers: Callable[[Any], bool] | None) -> Any:
        """What was used last: the database has at hand what it needs there."""
        if prefers is not None:
            for place in reversed(range(len(self._idle))):
                if prefers(self._idle[place]):
                    return self._idle.pop(place)
        return self._idle.pop()

    def take_idle(self, wanted: Callable[[Any], bool]) -> Any:
        """An idle connection that is wanted, lent to the caller until its release; None where none is."""
        for place, connection in enumerate(self._idle):
            if wanted(connection):
                return self._idle.pop(place)
        return None

    def release(self, connection: Any) -> None:
        if self._closed or connection.is_closed() or self._open[connection] != self._generation:
            self._drop(connection)
        elif not self._pass_on(connection):
            self._idle.append(connection)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        connection = await self.acquire()
        try:
            yield connection
        finally:
            self.release(connection)

    def renew(self) -> None:
        """Closes every connection: idle ones now, those on loan when they come back."""
        self._generation += 1
        while self._idle:
            self._drop(self._idle.pop())

    async def close(self) -> None:
        """Raises PoolClosed in those that wait, and waits for the connections that are on loan."""
        self._closed = True
        while self._pass_on(None):
            pass
        while self._idle:
            self._drop(self._idle.pop())
        while self._open:
            await self._wait_turn()

    def _drop(self, connection: Any) -> None:
        del self._open[connection]
        connection.terminate()
        self._pass_on(None)

    def _pass_on(self, connection: Any) -> bool:
        """To the first that waits; False when nobody does."""
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
            self._pass_on(None)
            raise
        finally:
            self._making -= 1
        self._open[connection] = self._generation
        return connection

    async def _wait_turn(self) -> Any:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            if waiting.done() and not waiting.cancelled():
                # Cancelled after it was resolved: pass the turn on to the next in line.
                given = waiting.result()
                if given is None:
                    self._pass_on(None)
                else:
                    self.release(given)
            raise
