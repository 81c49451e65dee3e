"""Stores the statements of many requests in one transaction.

Writers of a tenant wait for each other, because `stored` must not go back. Requests that arrive during a
commit share the next one, so that the disk does not limit how many statements are stored.
"""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import CONFLICT_ERRORS, Database
from trilha.core.database.batcher import Batcher
from trilha.core.errors import ApiError
from trilha.training.xapi import actions
from trilha.training.xapi.actions import Submission

_MAX_TOGETHER = 64
_TRIES = 5


class StatementWriter:
    """Writes the submissions of this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tenants: dict[UUID, _TenantWriter] = {}

    async def write(self, tenant_id: UUID, submission: Submission) -> None:
        """Returns after the commit. Raises ApiError if the submission conflicts with stored statements."""
        writer = self._tenants.get(tenant_id)
        if writer is None:
            writer = self._tenants[tenant_id] = _TenantWriter(self._database, tenant_id)
        writer.users += 1
        try:
            error = await writer.batcher.submit(submission)
        finally:
            writer.users -= 1
            if not writer.users:
                self._tenants.pop(tenant_id, None)
        if error is not None:
            raise error


class _TenantWriter:
    def __init__(self, database: Database, tenant_id: UUID) -> None:
        self.users = 0
        self._database = database
        self._tenant_id = tenant_id
        self.batcher = Batcher(self._write, _MAX_TOGETHER)

    async def _write(self, submissions: list[Submission]) -> Sequence[ApiError | None]:
        tried = 0
        while True:
            tried += 1
            try:
                async with self._database.transaction(self._tenant_id) as tx:
                    return await actions.record(tx, submissions)
            except CONFLICT_ERRORS:
                if tried == _TRIES:
                    raise
