"""What the record store asks of the platform about content that it has launched."""

from uuid import UUID

from trilha.core.database import CONFLICT_ERRORS, Database
from trilha.training.learning.cmi5 import queries, receiving, sessions
from trilha.training.xapi.access import LaunchHost
from trilha.training.xapi.actions import Submission

_TRIES = 5


def build_host(database: Database, base: str) -> LaunchHost:
    async def store(tenant_id: UUID, session_id: UUID, submission: Submission) -> None:
        for tried in range(1, _TRIES + 1):
            try:
                async with database.transaction(tenant_id) as tx:
                    await receiving.receive(tx, session_id, submission, base)
                return
            except CONFLICT_ERRORS:
                if tried == _TRIES:
                    raise

    async def give_token(tenant_id: UUID, session_id: UUID) -> str | None:
        async with database.transaction(tenant_id) as tx:
            return await sessions.give_token(tx, session_id)

    return LaunchHost(store, give_token, queries.note_preferences, queries.may_write)
