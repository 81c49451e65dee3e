"""Who may change a course."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.courses import queries
from trilha.courses import search as course_search
from trilha.panel.reach import taught_by
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may

WRITE = may(Permission.COURSES_WRITE)


async def check_author(tx: Tx, view: PanelView, course_id: UUID) -> None:
    """An instructor changes the courses that they teach. Raises NotFound."""
    if teacher := taught_by(view):
        if not await course_search.is_taught_by(tx, course_id, teacher):
            raise NotFound("course_not_found")
    else:
        await queries.get(tx, course_id)
