"""Who may change a course: administrators, and the instructors of the course."""

from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.courses import queries
from trilha.training.courses import search as course_search
from trilha.training.courses.schema import Course
from trilha.web.panel.reach import teacher_of
from trilha.web.panel.view import PanelView

WRITE = may(Permission.COURSES_WRITE)


async def get_changeable(tx: Tx, view: PanelView, course_id: UUID) -> Course:
    """Loads a course that the viewer may change. Raises NotFound, also for a course of other instructors."""
    teacher = teacher_of(view)
    if teacher and not await course_search.is_taught_by(tx, course_id, teacher):
        raise NotFound("course_not_found")
    return await queries.get(tx, course_id)
