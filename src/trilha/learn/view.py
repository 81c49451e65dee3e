"""The View of learners' pages, and its menu."""

from collections.abc import Sequence

from trilha.pages import N_, MenuItem
from trilha.sessions.permissions import PANEL, ROLES
from trilha.sessions.view import View
from trilha.sessions.viewer import Viewer

HOME = "/learn"


class LearnView(View):
    """A page of a learner's own."""


_MENU = (
    MenuItem(label=N_("My courses"), href=HOME, icon="book-open"),
    MenuItem(label=N_("Certificates"), href=f"{HOME}/certificates", icon="award"),
    MenuItem(label=N_("My profile"), href=f"{HOME}/profile", icon="circle-user-round"),
    MenuItem(label=N_("Security"), href=f"{HOME}/security", icon="shield-check", in_account=True),
)
_PANEL = MenuItem(label=N_("Administration"), href="/admin", icon="layout-dashboard", in_account=True)


def menu(viewer: Viewer) -> Sequence[MenuItem]:
    return [*_MENU, _PANEL] if ROLES[viewer.role] & PANEL else _MENU
