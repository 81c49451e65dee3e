"""What went wrong in a worker is in its log; the last of each is kept, too, for `trilha status`."""

import os
import socket

from trilha.core import logs
from trilha.core.database import Database
from trilha.core.jobs import ServiceJob
from trilha.status import queries


async def keep_errors(database: Database) -> int:
    if errors := logs.take_errors():
        async with database.unscoped() as unscoped:
            await queries.keep_errors(unscoped, f"{os.getpid()}@{socket.gethostname()}", errors)
    # Nothing is left to be done at once, and what fails here must not be met again at once.
    return 0


KEEP_ERRORS = ServiceJob(name="keep errors", run_once=keep_errors, rest=2, logged=False)
