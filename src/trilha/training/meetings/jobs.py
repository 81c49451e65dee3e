"""The worker's job that has services make links."""

import asyncio
from uuid import UUID, uuid4

from trilha.core import logs
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.jobs import oldest
from trilha.training.meetings import actions
from trilha.training.meetings.schema import DueRequest, Meeting, OpenedService
from trilha.training.meetings.video_calls import MeetingFailed, MeetingServices


class MakeLinks:
    """Has services make the links of sessions, outside any transaction."""

    name = "make links of video calls"
    rest = 2.0
    is_logged = True
    due = oldest("meeting_requests", "status = 'PENDING' AND next_attempt_at <= :now", "next_attempt_at")

    def __init__(self, services: MeetingServices) -> None:
        self._services = services

    async def run_once(self, database: Database) -> int:
        done = 0
        for row in await database.search(self.due, uuid4()):
            try:
                done += await self.run_in(database, row["tenant_id"])
            except CONNECTION_ERRORS:
                raise
            except Exception as error:
                # One tenant must not keep the others waiting.
                logs.log_failure("make links of video calls failed", error)
        return done

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Makes a batch of one tenant's links; returns how many were attempted."""
        async with database.transaction(tenant_id) as tx:
            claimed = await actions.claim_due(tx)
        await asyncio.gather(*(self._make(database, tenant_id, *each) for each in claimed))
        return len(claimed)

    async def _make(
        self,
        database: Database,
        tenant_id: UUID,
        request: DueRequest,
        service: OpenedService | None,
        meeting: Meeting | None,
    ) -> None:
        link, reason = None, None
        try:
            if meeting is not None:
                if service is None:
                    raise MeetingFailed("service_missing")
                link = await self._services.make_link(tenant_id, service, meeting, database.clock())
        except MeetingFailed as error:
            reason = str(error)
            logs.trouble(
                "link of a video call not made", tenant=tenant_id, session=request.session_id, error=reason
            )
        async with database.transaction(tenant_id) as tx:
            await actions.record(tx, request, link, reason)
