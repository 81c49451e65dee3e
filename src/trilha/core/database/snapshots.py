"""Long reads of a tenant's rows at one point in time. COPY streams them.

These reads have their own small pool, so they never take the connections of requests.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from trilha.core.database.connection import Tx


class Snapshot(Tx):
    """A read-only transaction at REPEATABLE READ."""

    async def copy(
        self, sql: str, output: Callable[[bytes], Awaitable[None]], *, seconds: float, **params: Any
    ) -> None:
        """Writes the rows of a query as CSV without a header, with PostgreSQL's line ends.

        `output` receives whole rows, some at a time, and is awaited. Cancelling the caller cancels the
        query. It may take `seconds`; raises Unreachable.
        """
        text, values = self._bind(sql, params)
        await self._run(
            self._connection.copy_from_query, text, values, output=output, format="csv", timeout=seconds
        )
