"""The export of the reminders that a person was sent."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.feature import ExportPart, ExportReader
from trilha.training.reminders.rules import Channel, Kind

_PAGE_SIZE = 500


class SentToPerson(Struct, frozen=True):
    """A reminder, with the course's title at the time of the export. `channels` are those that it was sent
    through; on the pages it appears in any case.
    """

    id: UUID
    kind: Kind
    course: str
    text: str | None
    channels: list[Channel]
    created_at: Timestamp
    read_at: Timestamp | None


async def _list_reminders(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[SentToPerson]]:
    """Oldest first."""
    last: dict[str, Any] = {"after": None, "after_id": None}
    while True:
        async with reader.transaction() as tx:
            page = await tx.list(
                SentToPerson,
                """
                SELECT r.id, r.kind, c.title AS course, r.text, r.created_at, r.read_at,
                       ARRAY(SELECT DISTINCT d.channel FROM reminder_deliveries d
                             WHERE d.tenant_id = r.tenant_id AND d.reminder_id = r.id AND d.status = 'SENT'
                             ORDER BY d.channel) AS channels
                FROM reminders r
                LEFT JOIN all_enrollments e ON e.tenant_id = r.tenant_id AND e.id = r.enrollment_id
                LEFT JOIN enrollment_requests q ON q.tenant_id = r.tenant_id AND q.id = r.request_id
                JOIN courses c ON c.tenant_id = r.tenant_id
                 AND c.id = COALESCE(e.course_id, q.course_id)
                WHERE r.tenant_id = :tenant AND r.user_id = :user_id
                  AND (CAST(:after AS timestamptz) IS NULL
                       OR (r.created_at, r.id) > (CAST(:after AS timestamptz), CAST(:after_id AS uuid)))
                ORDER BY r.created_at, r.id LIMIT :limit
                """,
                user_id=user_id,
                limit=_PAGE_SIZE,
                **last,
            )
        yield page
        if len(page) < _PAGE_SIZE:
            return
        last = {"after": page[-1].created_at, "after_id": page[-1].id}


EXPORT = (ExportPart("reminders", SentToPerson, _list_reminders),)
