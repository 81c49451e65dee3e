"""One view of a tenant's rows, for what is read at length: every statement sees the same; COPY streams it.

These reads have connections of their own, and few: however many are asked for, requests find theirs.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from trilha.core.database.connection import Tx
from trilha.core.database.failures import LOST, answered
from trilha.core.database.pool import Pool

_ROLLBACK_SECONDS = 5


class Snapshot(Tx):
    """A read-only transaction at REPEATABLE READ."""

    async def copy(
        self, sql: str, output: Callable[[bytes], Awaitable[None]], *, seconds: float, **params: Any
    ) -> None:
        """The rows of a query as CSV without a header, lines as PostgreSQL ends them. `output` is given whole
        rows, some at a time, and is waited for. When the caller is cancelled, so is the query. It may take
        `seconds`; raises Unreachable."""
        text, values = self._bind(sql, params)
        await self._run(
            self._connection.copy_from_query, text, values, output=output, format="csv", timeout=seconds
        )


class OpenSnapshot:
    """From BEGIN to ROLLBACK: there is nothing to commit."""

    def __init__(self, pool: Pool, tenant_id: UUID, tx: Callable[[Any], Snapshot]) -> None:
        self._pool = pool
        self._tenant_id = tenant_id
        self._make_tx = tx
        self._tx: Snapshot | None = None
        self._connection: Any = None

    async def __aenter__(self) -> Snapshot:
        self._connection = await self._pool.acquire()
        try:
            await self._begin()
        except LOST:
            # The server closed the connection while it was idle.
            self._pool.renew()
            self._connection = await self._pool.acquire()
            await self._begin()
        self._tx = self._make_tx(self._connection)
        return self._tx

    async def _begin(self) -> None:
        try:
            await answered(
                self._connection.execute(
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
                    f"SET LOCAL trilha.tenant = '{self._tenant_id}'"
                )
            )
        except BaseException:
            self._connection.terminate()
            self._pool.release(self._connection)
            raise

    async def __aexit__(self, *_: object) -> None:
        assert self._tx is not None
        self._tx.close()
        try:
            # After a query that was cancelled, the driver first waits until the server has let go of it.
            async with asyncio.timeout(_ROLLBACK_SECONDS):
                await self._connection.execute("ROLLBACK")
        except Exception:  # without the connection, the server ends it by itself
            self._connection.terminate()
        except BaseException:
            self._connection.terminate()
            raise
        finally:
            self._pool.release(self._connection)
