"""Lists what a person's calendar shows: due dates of courses and paths, and the end of certificates."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.training.calendar_feeds.schema import CalendarEvent
from trilha.training.certificates import learner as certificates
from trilha.training.enrollments import learner as enrollments
from trilha.training.learning_paths import learner as paths

MAX_EVENTS = 500
# Programs keep what they have read, but not what a feed no longer contains.
_PAST = timedelta(days=90)


async def list_events(tx: Tx, user_id: UUID, locale: str = "") -> list[CalendarEvent]:
    """Lists the events from 90 days ago on, the earliest first, at most MAX_EVENTS. Courses have their titles
    in the person's language.
    """
    since = tx.now - _PAST
    my_paths = [path for path in await paths.list_open(tx, user_id) if path.due_at is not None]
    due = await enrollments.list_due(tx, user_id, since, MAX_EVENTS, locale)
    ending = await certificates.list_expiring(tx, user_id, since, MAX_EVENTS)
    events = [
        *_list_paths(my_paths, user_id, Timestamp.of(since)),
        *_list_courses(due, {path.id for path in my_paths}),
        *(
            CalendarEvent(
                f"{each.id}-expiry@trilha",
                "certificate_expiry",
                each.course_title,
                each.expires_at,
                f"/learn/certificates/{each.id}",
                each.issued_at,
            )
            for each in ending
        ),
    ]
    return sorted(events, key=lambda event: (event.at, event.uid))[:MAX_EVENTS]


def _list_paths(my_paths: list[paths.MyPath], user_id: UUID, since: Timestamp) -> Iterator[CalendarEvent]:
    for path in my_paths:
        if path.due_at is not None and path.due_at > since:
            yield CalendarEvent(
                f"{path.id}-{user_id}-due@trilha",
                "path_due",
                path.title,
                path.due_at,
                f"/learn/paths/{path.id}",
                path.assigned_at,
            )


def _list_courses(due: list[enrollments.DueCourse], path_ids: set[UUID]) -> Iterator[CalendarEvent]:
    """A course that is due with its path has no event besides the path's."""
    for course in due:
        if course.path_id not in path_ids or course.due_at != course.path_due_at:
            yield CalendarEvent(
                f"{course.id}-due@trilha",
                "course_due",
                course.title,
                course.due_at,
                f"/learn/enrollments/{course.id}",
                course.updated_at,
            )
