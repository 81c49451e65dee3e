"""Whom and what somebody sees in the panel."""

from uuid import UUID

from trilha.panel.view import PanelView
from trilha.users.reach import Reach


def reach_of(view: PanelView) -> Reach:
    return Reach(view.viewer.role, view.viewer.user_id)


def taught_by(view: PanelView) -> UUID | None:
    """An instructor's courses are those that they teach; None is every course."""
    return view.viewer.user_id if view.viewer.role == "instrutor" else None


def managed_by(view: PanelView) -> UUID | None:
    """A manager's units are those that they manage, and all below; None is every unit."""
    return None if view.viewer.role == "admin" else view.viewer.user_id
