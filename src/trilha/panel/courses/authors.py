"""Who may change a course."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.courses import queries
from trilha.courses import search as course_search
from trilha.courses.schema import Course
from trilha.panel.reach import taught_by
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may

WRITE = may(Permission.COURSES_WRITE)


async def get_changeable(tx: Tx, view: PanelView, course_id: UUID) -> Course:
    """A course that the person may change: of an instructor, one that they teach. Raises NotFound."""
    teacher = taught_by(view)
    if teacher and not await course_search.is_taught_by(tx, course_id, teacher):
        raise NotFound("course_not_found")
    return await queries.get(tx, course_id)
