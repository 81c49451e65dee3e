"""One view of a tenant's rows, for what is read at length: every statement sees the same; COPY streams it.

These reads have connections of their own, and few: however many are asked for, requests find theirs.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from trilha.core.database.connection import Tx


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
