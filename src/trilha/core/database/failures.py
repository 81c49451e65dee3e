"""What can go wrong with the database, and what follows.

A connection that died while it was idle is noticed by the BEGIN on it: the pool then drops every connection
made before, and the transaction begins once more on a new one. One that dies later, or within the moment for
which a transaction is left open, ends its request with 503, but for a read, which is tried once more; nothing
was committed. The worker's loops note it and go on.
"""

from collections.abc import Awaitable
from typing import TypeVar

import asyncpg


class Unreachable(ConnectionError):
    """PostgreSQL does not answer: no connection can be made, or a statement took too long.

    The driver raises built-in exceptions for these, which a handler may also meet while it waits for somebody
    else: those are no failures of the database.
    """


T = TypeVar("T")


async def answered(statement: Awaitable[T]) -> T:
    """What the driver's call gives. Raises Unreachable where no answer comes in time."""
    try:
        return await statement
    except TimeoutError as error:
        raise Unreachable("no answer in time") from error


class NotCommitted(Exception):
    """The answer to COMMIT was ROLLBACK: a statement had failed, and its error was not raised."""


# The server cannot be reached or has closed the connection. What was not committed is rolled back.
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    # The server's notice of its shutdown was read just before a statement was sent.
    asyncpg.InternalClientError,
    Unreachable,
)
# The server lacks something for now, most often room on its disk. The transaction was rolled back.
EXHAUSTED = (asyncpg.InsufficientResourcesError, asyncpg.PostgresIOError)
# Two transactions were in each other's way. The one that failed may be run again.
CLASHED = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
