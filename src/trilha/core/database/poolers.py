"""Recognizes a connection pooler between a process and PostgreSQL, and whether it can be used."""

from typing import Any
from uuid import uuid4

import asyncpg

# Raised when a pooler mixes up the prepared statements of its clients.
MIXED_UP_ERRORS = (asyncpg.DuplicatePreparedStatementError, asyncpg.InvalidSQLStatementNameError)
_REFUSAL = (
    "The connection pooler before the database mixes up prepared statements: use PgBouncer 1.21 or newer "
    "with pool_mode = transaction and max_prepared_statements = 200, or connect to PostgreSQL directly."
)


class PoolerError(RuntimeError):
    """The pooler cannot be used. The message is one sentence."""

    def __init__(self) -> None:
        super().__init__(_REFUSAL)


async def check(connection: Any) -> None:
    """Raises PoolerError if a pooler passes on the names of prepared statements as clients chose them."""
    name = f"trilha_{uuid4().hex}"
    statement = await connection.prepare(
        """
        SELECT pg_backend_pid() <> $1::int AND EXISTS (SELECT FROM pg_prepared_statements WHERE name = $2)
        """,
        name=name,
    )
    # A pooler answers with a process id of its own.
    if await statement.fetchval(connection.get_server_pid(), name):
        raise PoolerError
