"""Which people and courses a viewer sees in the panel."""

from uuid import UUID

from trilha.core.errors import Forbidden
from trilha.people.users.reach import Reach
from trilha.web.panel.view import PanelView


def reach_of(view: PanelView) -> Reach:
    return Reach(view.viewer.role, view.viewer.user_id)


def is_own(view: PanelView, user_id: UUID) -> bool:
    """Returns whether a manager or instructor would decide about themselves."""
    return user_id == view.viewer.user_id and view.viewer.role != "admin"


def check_not_own(view: PanelView, user_id: UUID) -> None:
    """Refuses that managers and instructors decide about themselves. Raises Forbidden (not_permitted)."""
    if is_own(view, user_id):
        raise Forbidden("not_permitted")


def teacher_of(view: PanelView) -> UUID | None:
    """Returns the instructor, who sees only the courses they teach; None means every course."""
    return view.viewer.user_id if view.viewer.role == "instrutor" else None


def manager_of(view: PanelView) -> UUID | None:
    """Returns the manager, who sees only their units and those below; None means every unit."""
    return None if view.viewer.role == "admin" else view.viewer.user_id
