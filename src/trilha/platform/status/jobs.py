"""Stores the last error of each kind for `trilha status`; processes also log them."""

import asyncio
import os
import socket

from trilha.core import logs, metrics
from trilha.core.database import Database
from trilha.core.jobs import ServiceJob
from trilha.platform.status import queries


async def keep_errors(database: Database) -> int:
    if errors := logs.take_errors():
        try:
            async with database.unscoped() as unscoped:
                await queries.keep_errors(unscoped, f"{os.getpid()}@{socket.gethostname()}", errors)
        except BaseException:
            logs.give_back(errors)  # store them once the database is reachable again
            raise
    # Report no remaining work, so that a failing job is not repeated at once.
    return 0


async def keep_errors_on(database: Database) -> None:
    """Stores errors in the background while a server runs."""
    while True:
        await asyncio.sleep(KEEP_ERRORS.rest)
        try:
            await keep_errors(database)
        except Exception as error:
            logs.note("keep errors failed", error=logs.where(error))


async def watch_server(database: Database) -> None:
    """Stores errors and measures the process while a server runs."""
    await asyncio.gather(
        keep_errors_on(database), metrics.watch_process(database.count_connections, asyncio.Event())
    )


KEEP_ERRORS = ServiceJob(name="keep errors", run_once=keep_errors, rest=2, is_logged=False)
