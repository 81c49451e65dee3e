"""Transactions that only read, left open when their request is over.

They have nothing to commit, so nobody waits for their end: the next transaction on the connection ends them
in its own round trip. One of the same tenant that only reads goes on in it instead, and saves its BEGIN: at
READ COMMITTED each statement sees what is committed when it starts, whichever transaction it is in, and
between two statements nothing is held back from vacuum. What nobody takes over is ended a moment later.
So a lock or a setting that a read takes `LOCAL` may outlast its request: reads take none.
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


class _Read(Struct):
    tenant_id: UUID
    began: float
    left: float = 0.0  # when its last request was over


class OpenReads:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._reads: WeakKeyDictionary[Any, _Read] = WeakKeyDictionary()
        self._ending: asyncio.Task[None] | None = None

    def of(self, tenant_id: UUID) -> Callable[[Any], bool] | None:
        """Which connections a transaction of this tenant prefers; None where it makes no difference."""
        if not self._reads:
            return None
        return lambda connection: self._is_of(connection, tenant_id)

    def _is_of(self, connection: Any, tenant_id: UUID) -> bool:
        read = self._reads.get(connection)
        return read is not None and read.tenant_id == tenant_id

    def begin(self, connection: Any, tenant_id: UUID) -> None:
        self._reads[connection] = _Read(tenant_id, time.monotonic())

    def go_on(self, connection: Any, tenant_id: UUID) -> bool:
        """Whether this tenant's transaction is open on the connection, and may serve one request more."""
        read = self._reads.get(connection)
        return (
            read is not None
            and read.tenant_id == tenant_id
            and time.monotonic() < read.began + _LONGEST
            and connection.is_in_transaction()
        )

    def leave(self, connection: Any) -> None:
        """Its request is over; the caller releases the connection."""
        if (read := self._reads.get(connection)) is None:
            return  # it died after its last statement
        read.left = time.monotonic()
        if self._ending is None:
            self._ending = asyncio.create_task(self._end_idle())

    def forget(self, connection: Any) -> None:
        self._reads.pop(connection, None)

    async def _end_idle(self) -> None:
        """Until none is left open."""
        while self._reads:
            await asyncio.sleep(_IDLE)
            while (connection := self._pool.take_idle(self._is_over)) is not None:
                self.forget(connection)
                try:
                    await connection.execute("ROLLBACK")
                except Exception:  # without the connection, the server ends it by itself
                    connection.terminate()
                finally:
                    self._pool.release(connection)
            for connection in [each for each in self._reads if each.is_closed()]:
                self.forget(connection)
        self._ending = None

    def _is_over(self, connection: Any) -> bool:
        read = self._reads.get(connection)
        return read is not None and read.left < time.monotonic() - _IDLE
