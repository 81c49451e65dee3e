"""Who opens the pages of a session, and whom they see there."""

from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.kit import N_
from trilha.people.users.reach import EVERYONE, Reach
from trilha.training.classes.attendance_lists import queries
from trilha.training.classes.attendance_lists.schema import ListedPerson, SessionHead
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import HOME, PanelView

READ = may(Permission.COURSES_READ)
SENTENCES = {
    "session_cancelled": N_("This session was canceled."),
    "session_not_started": N_("This session has not started. Attendance opens when it starts."),
    "outside_session": N_("This is possible only during the session."),
    "not_registered": N_("This person has no place in the class."),
    "already_checked_in": N_("The attendance of this person is already recorded. Correct the list instead."),
    "out_of_range": N_("The session is not that long."),
    "signature_missing": N_("Sign in the field. A dot is not enough."),
    "signature_not_readable": N_("The signature could not be read. Clear the field and sign again."),
}


class OpenSession(Struct, frozen=True):
    """A session and the people whom the viewer sees in it. Instructors and administrators see everybody."""

    head: SessionHead
    reach: Reach

    @property
    def path(self) -> str:
        return f"{HOME}/sessions/{self.head.id}"

    @property
    def sees_everybody(self) -> bool:
        return self.reach.is_everyone


async def open_session(tx: Tx, view: PanelView, session_id: UUID) -> OpenSession:
    """Returns a session that the viewer teaches, or in which people within their reach have a place. Raises
    NotFound.
    """
    head = await queries.find_head(tx, session_id)
    if head is None:
        raise NotFound("class_session_not_found")
    viewer = view.viewer
    teaches = viewer.user_id in head.instructor_ids or (
        viewer.role == "instrutor" and await queries.teaches(tx, viewer.user_id, head.course_id)
    )
    if viewer.role == "admin" or teaches:
        return OpenSession(head, EVERYONE)
    reach = reach_of(view)
    if viewer.role != "gestor" or not (await queries.count_people(tx, head, reach))[0]:
        raise NotFound("class_session_not_found")
    return OpenSession(head, reach)


async def open_whole_session(tx: Tx, view: PanelView, session_id: UUID) -> OpenSession:
    """Returns a session for what concerns everybody in it. Raises NotFound."""
    opened = await open_session(tx, view, session_id)
    if not opened.sees_everybody:
        raise NotFound("class_session_not_found")
    return opened


async def get_person(tx: Tx, opened: OpenSession, user_id: UUID) -> ListedPerson:
    """Raises NotFound."""
    people = await queries.list_people(tx, opened.head, opened.reach, 1, ids=[user_id])
    if not people:
        raise NotFound("user_not_found")
    return people[0]


def list_trail(opened: OpenSession) -> list[tuple[str, str]]:
    """Returns the pages above those of a session: the course and the class."""
    head = opened.head
    return [
        (head.course, f"{HOME}/courses/{head.course_id}"),
        (head.title, f"{HOME}/classes/{head.class_id}"),
    ]


def list_trail_of_people(view: PanelView, opened: OpenSession) -> list[tuple[str, str]]:
    """Returns the pages above that of one person in a session."""
    return [*list_trail(opened), (view.say(N_("Attendance")), f"{opened.path}/attendance")]
