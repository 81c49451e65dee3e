"""Lists sessions for calendar programs: those of a person, and all of a company."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp


class ListedSession(Struct, frozen=True):
    """A session that is not cancelled, with the titles of its class and course."""

    id: UUID
    class_id: UUID
    title: str
    course_title: str
    starts_at: Timestamp
    ends_at: Timestamp
    time_zone: str
    room: str | None
    meeting_url: str | None
    revision: int
    updated_at: Timestamp


_SELECT = """
    SELECT s.id, s.class_id, c.title, k.title AS course_title, s.starts_at, s.ends_at, s.time_zone, s.room,
           s.meeting_url, s.revision, s.updated_at
    FROM class_sessions s
    JOIN classes c ON c.tenant_id = :tenant AND c.id = s.class_id
    JOIN courses k ON k.tenant_id = :tenant AND k.id = c.course_id
    WHERE s.tenant_id = :tenant AND s.cancelled_at IS NULL AND s.starts_at > :since
"""
_NEAREST = """
    ORDER BY s.ends_at <= CAST(:now AS timestamptz),
             abs(extract(epoch FROM s.starts_at - CAST(:now AS timestamptz))), s.id
    LIMIT :limit
"""


async def list_of_person(tx: Tx, user_id: UUID, since: datetime, limit: int) -> list[ListedSession]:
    """Lists the sessions that a person attends or teaches, by start: those nearest to now, if they are too
    many. Coming ones have priority.
    """
    rows = await tx.list(
        ListedSession,
        f"""
        {_SELECT} AND (
            s.class_id IN (
                SELECT class_id FROM class_registrations
                WHERE tenant_id = :tenant AND user_id = :user_id AND status = 'REGISTERED')
            OR s.id IN (
                SELECT session_id FROM class_instructors WHERE tenant_id = :tenant AND user_id = :user_id))
        {_NEAREST}
        """,  # noqa: S608
        user_id=user_id,
        since=since,
        limit=limit,
    )
    return sorted(rows, key=_find_order)


async def list_all(tx: Tx, since: datetime, limit: int) -> list[ListedSession]:
    """Lists the sessions of the company in the same way."""
    rows = await tx.list(ListedSession, f"{_SELECT} {_NEAREST}", since=since, limit=limit)
    return sorted(rows, key=_find_order)


def _find_order(session: ListedSession) -> tuple[Timestamp, UUID]:
    return session.starts_at, session.id
