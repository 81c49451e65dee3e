"""The view of learners' pages, and their menu."""

from collections.abc import Sequence
from typing import Any

from trilha.access.permissions.roles import PANEL, ROLES
from trilha.access.permissions.viewer import Viewer
from trilha.access.sessions.view import View
from trilha.core.web.answers import Html
from trilha.kit import N_, MenuItem

HOME = "/learn"


class LearnView(View):
    """Renders the pages of /learn."""

    def show(self, template: str, *, status: int = 200, **values: Any) -> Html:
        """Renders a template. The header says for whom, so that a browser saves it for this person alone."""
        answer = super().show(template, status=status, **values)
        if self.page.offline and not self.page.fragment:
            answer.headers.append((b"x-trilha-person", self.page.offline.person.encode()))
        return answer


_MENU = (
    MenuItem(label=N_("My courses"), href=HOME, icon="book-open"),
    MenuItem(label=N_("Calendar"), href=f"{HOME}/calendar", icon="calendar-days"),
    MenuItem(label=N_("Catalog"), href=f"{HOME}/catalog", icon="compass"),
    MenuItem(label=N_("Certificates"), href=f"{HOME}/certificates", icon="award"),
    MenuItem(label=N_("My profile"), href=f"{HOME}/profile", icon="circle-user-round"),
    MenuItem(label=N_("Check in to a class"), href=f"{HOME}/check-in", icon="map-pin", in_account=True),
    MenuItem(label=N_("Security"), href=f"{HOME}/security", icon="shield-check", in_account=True),
)
_PANEL = MenuItem(label=N_("Administration"), href="/admin", icon="layout-dashboard", in_account=True)


def menu(viewer: Viewer) -> Sequence[MenuItem]:
    return [*_MENU, _PANEL] if ROLES[viewer.role] & PANEL else _MENU
