"""Stores the statements of many requests in one transaction.

Writers of a tenant wait for each other, because `stored` must not go back. Requests that arrive during a
commit share the next one, so that the disk does not limit how many statements are stored.
"""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import CONFLICT_ERRORS, Database
from trilha.core.database.batcher import Batcher
from trilha.training.xapi import actions
from trilha.training.xapi.actions import Listener, Submission

_MAX_TOGETHER = 64
# A transaction has no more statements, unless one request has.
_MAX_STATEMENTS = 2000
_TRIES = 5


class StatementWriter:
    """Writes the submissions of this process. `listeners` learn of new statements before the commit."""

    def __init__(self, database: Database, listeners: Sequence[Listener] = ()) -> None:
        self._database = database
        self._listeners = listeners
        self._tenants: dict[UUID, _TenantWriter] = {}

    async def write(self, tenant_id: UUID, submission: Submission) -> None:
        """Returns after the commit. Raises ApiError if the submission conflicts with stored statements."""
        if not submission.statements:
            return
        writer = self._tenants.get(tenant_id)
        if writer is None:
            writer = self._tenants[tenant_id] = _TenantWriter(self._database, tenant_id, self._listeners)
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
    def __init__(self, database: Database, tenant_id: UUID, listeners: Sequence[Listener]) -> None:
        self.users = 0
        self._listeners = listeners
        self._database = database
        self._tenant_id = tenant_id
        self.batcher = Batcher(self._write, _MAX_TOGETHER)

    async def _write(self, submissions: list[Submission]) -> Sequence[Exception | None]:
        """Returns the error of each submission, or None."""
        errors: list[Exception | None] = []
        for part in split(submissions):
            try:
                errors += await self._write_together(part)
            except Exception as error:
                errors += [error] * len(part)  # other parts are stored
        return errors

    async def _write_together(self, submissions: Sequence[Submission]) -> Sequence[Exception | None]:
        tried = 0
        while True:
            tried += 1
            try:
                async with self._database.transaction(self._tenant_id) as tx:
                    return await actions.record(tx, submissions, self._listeners)
            except CONFLICT_ERRORS:
                if tried == _TRIES:
                    raise


def split(submissions: Sequence[Submission]) -> list[list[Submission]]:
    """Splits submissions into parts that are not too large, in their order."""
    parts: list[list[Submission]] = []
    size = 0
    for each in submissions:
        if not parts or size + len(each.statements) > _MAX_STATEMENTS:
            parts.append([])
            size = 0
        parts[-1].append(each)
        size += len(each.statements)
    return parts
