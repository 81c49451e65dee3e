"""/admin/help"""

from collections.abc import Mapping

from trilha.access.permissions.roles import Permission, may
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.people.users.schema import Role
from trilha.web.guides import pages, texts
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Help", "The guides for those who work in the panel.")
ADDRESS = f"{HOME}/help"
_ACCESS = may(Permission.DASHBOARD_READ)
GUIDES: Mapping[Role, str] = {"admin": "administrators", "gestor": "managers", "instrutor": "instructors"}


@routes.get("/help", access=_ACCESS)
async def show_help(view: PanelView) -> Html:
    """The index of the guide for the reader's role."""
    return _show(view, GUIDES[view.viewer.role])


@routes.get("/help/{guide}", access=_ACCESS)
async def show_guide(view: PanelView, guide: str) -> Html:
    """The index of a guide."""
    return _show(view, guide)


@routes.get("/help/{guide}/{topic}", access=_ACCESS)
async def show_topic(view: PanelView, guide: str, topic: str) -> Html:
    """One page of a guide."""
    return _show(view, guide, topic)


def _show(view: PanelView, guide: str, topic: str = texts.INDEX) -> Html:
    return pages.show(view, "shells/panel.html", guide, topic, f"{ADDRESS}/{guide}")
