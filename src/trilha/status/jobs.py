"""What went wrong in a process is in its log; the last of each is kept, too, for `trilha status`."""

import asyncio
import os
import socket

from trilha.core import logs
from trilha.core.database import Database
from trilha.core.jobs import ServiceJob
from trilha.status import queries


async def keep_errors(database: Database) -> int:
    if errors := logs.take_errors():
        try:
            async with database.unscoped() as unscoped:
                await queries.keep_errors(unscoped, f"{os.getpid()}@{socket.gethostname()}", errors)
        except BaseException:
            logs.give_back(errors)  # for when the database is there again
            raise
    # Nothing is left to be done at once, and what fails here must not be met again at once.
    return 0


async def keep_errors_on(database: Database) -> None:
    """Beside a server, from its start to its end."""
    while True:
        await asyncio.sleep(KEEP_ERRORS.rest)
        try:
            await keep_errors(database)
        except Exception as error:
            logs.note("keep errors failed", error=logs.where(error))


KEEP_ERRORS = ServiceJob(name="keep errors", run_once=keep_errors, rest=2, logged=False)
