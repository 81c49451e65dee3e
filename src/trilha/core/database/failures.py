"""Failures of the database, and how they are handled.

The BEGIN on a connection that died while idle fails: the pool then drops all earlier connections, and the
transaction begins again on a new one. If a connection dies later, or within the short time that a
transaction is left open, the request fails with 503, except that a read is tried once more. Nothing was
committed. The worker's loops log the failure and continue.
"""

import re
from collections.abc import Awaitable
from typing import Any, TypeVar

import asyncpg


class Unreachable(ConnectionError):
    """PostgreSQL does not respond: no connection can be made, or a statement took too long.

    The driver raises built-in exceptions for these. A handler may also get those from other sources, where
    they are no failures of the database.
    """


T = TypeVar("T")
_LOST_WORKER = re.compile("connection marked as essential|connection to the remote node")


async def await_answer(statement: Awaitable[T]) -> T:
    """Awaits a call of the driver. Raises Unreachable if there is no response in time, or if a worker of a
    cluster is lost during the statement, which the coordinator reports as an internal error.
    """
    try:
        return await statement
    except TimeoutError as error:
        raise Unreachable("no answer in time") from error
    except asyncpg.InternalServerError as error:
        if _LOST_WORKER.search(error.message or ""):
            raise Unreachable("a worker was lost") from error
        raise


class NotCommitted(Exception):
    """The response to COMMIT was ROLLBACK: a statement had failed and its error was not raised."""


def violates(error: Any, constraint: str) -> bool:
    """Returns whether an integrity error of the driver is about this constraint. On a cluster only the
    message names it, followed by the number of a shard.
    """
    if error.constraint_name:
        return re.fullmatch(rf"{constraint}(_\d+)?", error.constraint_name) is not None
    return re.search(rf'"{constraint}(_\d+)?"', error.message or "") is not None


# The server cannot be reached or closed the connection. Uncommitted changes are rolled back.
CONNECTION_ERRORS = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    # the server announced its shutdown just before a statement was sent
    asyncpg.InternalClientError,
    Unreachable,
)
# The server lacks a resource, most often disk space. The transaction was rolled back.
RESOURCE_ERRORS = (asyncpg.InsufficientResourcesError, asyncpg.PostgresIOError)
# Two transactions were in conflict. The one that failed may be run again.
CONFLICT_ERRORS = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
