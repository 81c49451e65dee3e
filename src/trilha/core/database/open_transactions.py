"""Transactions that are open already when the next request of their tenant begins.

One that only read has nothing to commit, so nobody waits for its end: it is left as it is. One that wrote is
committed, and where its tenant writes one change after another the next is begun in the same round trip. A
transaction of the same tenant and kind goes on in what is open, and saves its BEGIN; any other ends it in its
own first round trip; what nobody takes over is ended a moment later.

Nobody can tell the difference: at READ COMMITTED each statement sees what is committed when it starts,
whichever transaction it is in, and between two statements nothing is held back from vacuum. But a lock or a
setting that a read takes `LOCAL` may outlast its request: reads take none.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from msgspec import Struct

from trilha.core.database.pool import Pool

# Seconds that one may be idle, and that several requests may go on in it.
_IDLE, _LONGEST = 0.05, 1.0


class _Open(Struct):
    tenant_id: UUID
    read_only: bool
    began: float
    left: float = 0.0  # when its last request was over


class OpenTransactions:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._open: WeakKeyDictionary[Any, _Open] = WeakKeyDictionary()
        # Whose change was committed last on a connection, and when.
        self._committed: WeakKeyDictionary[Any, tuple[UUID, float]] = WeakKeyDictionary()
        self._ending: asyncio.Task[None] | None = None

    def of(self, tenant_id: UUID, *, read_only: bool) -> Callable[[Any], bool] | None:
        """Which connections a transaction prefers; None where it makes no difference."""
        if not self._open:
            return None
        return lambda connection: self._is_of(connection, tenant_id, read_only)

    def _is_of(self, connection: Any, tenant_id: UUID, read_only: bool) -> bool:
        found = self._open.get(connection)
        return found is not None and found.tenant_id == tenant_id and found.read_only == read_only

    def begin(self, connection: Any, tenant_id: UUID, *, read_only: bool) -> None:
        self._open[connection] = _Open(tenant_id, read_only, time.monotonic())

    def go_on(self, connection: Any, tenant_id: UUID, *, read_only: bool) -> bool:
        """Whether one like this is open on the connection, and may serve one request more."""
        found = self._open.get(connection)
        return (
            found is not None
            and found.tenant_id == tenant_id
            and found.read_only == read_only
            and time.monotonic() < found.began + _LONGEST
            and connection.is_in_transaction()
        )

    def is_next_likely(self, connection: Any, tenant_id: UUID) -> bool:
        """Whether the change before, on this connection, was the same tenant's and a moment ago.

        To be asked once for each change, when it is about to be committed.
        """
        now = time.monotonic()
        before, self._committed[connection] = self._committed.get(connection), (tenant_id, now)
        return before is not None and before[0] == tenant_id and now < before[1] + _IDLE

    def leave(self, connection: Any) -> None:
        """Its request is over; the caller releases the connection."""
        if (found := self._open.get(connection)) is None:
            return  # it died after its last statement
        found.left = time.monotonic()
        if self._ending is None:
            self._ending = asyncio.create_task(self._end_idle())

    def forget(self, connection: Any) -> None:
        self._open.pop(connection, None)

    async def _end_idle(self) -> None:
        """Until none is left open."""
        while self._open:
            await asyncio.sleep(_IDLE)
            while (connection := self._pool.take_idle(self._is_over)) is not None:
                self.forget(connection)
                try:
                    await connection.execute("ROLLBACK")
                except Exception:  # without the connection, the server ends it by itself
                    connection.terminate()
                finally:
                    self._pool.release(connection)
            for connection in [each for each in self._open if each.is_closed()]:
                self.forget(connection)
        self._ending = None

    def _is_over(self, connection: Any) -> bool:
        found = self._open.get(connection)
        return found is not None and found.left < time.monotonic() - _IDLE
