"""/admin"""

from trilha.core.database import Tx
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may

routes = Routes("Overview", "How the tenant's training stands.")


@routes.get("", access=may(Permission.DASHBOARD_READ))
async def show_dashboard(tx: Tx, view: PanelView) -> Html:
    """What needs attention first."""
    return view.show("panel/dashboard/overview.html")
