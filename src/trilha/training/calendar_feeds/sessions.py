"""Lists the sessions of classes that a feed shows."""

from datetime import timedelta

from trilha.core.database import Tx
from trilha.training.calendar_feeds.schema import FeedOwner, SessionEvent
from trilha.training.classes import sessions_in_calendars as classes
from trilha.training.classes.invitations.rules import build_uid

MAX_SESSIONS = {"own": 500, "company": 2000}
_PAST = timedelta(days=90)


async def list_sessions(tx: Tx, owner: FeedOwner) -> list[SessionEvent]:
    """Lists the sessions from 90 days ago on, the earliest first. An event of a person's own has the UID of
    their invitation.
    """
    since, limit = tx.now - _PAST, MAX_SESSIONS[owner.kind]
    if owner.kind == "company":
        listed = await classes.list_all(tx, since, limit)
    else:
        listed = await classes.list_of_person(tx, owner.user_id, since, limit)
    is_own = owner.kind == "own"
    return [
        SessionEvent(
            uid=build_uid(each.id, owner.user_id) if is_own else f"{each.id}@trilha",
            sequence=each.revision,
            title=each.title,
            course=each.course_title,
            starts_at=each.starts_at,
            ends_at=each.ends_at,
            time_zone=each.time_zone,
            room=each.room,
            meeting_url=each.meeting_url,
            path="/learn/calendar" if is_own else f"/admin/classes/{each.class_id}",
            changed_at=each.updated_at,
        )
        for each in listed
    ]
