"""/admin/settings/statements: whether the platform writes xAPI statements of its own."""

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.platform_statements import actions, queries
from trilha.web.panel.settings.pages import PATH
from trilha.web.panel.view import PanelView

routes = Routes("Settings: xAPI statements", "Whether the platform writes xAPI statements of its own.")
_PATH = f"{PATH}/statements"
_ACCESS = may(Permission.SETTINGS_WRITE)


class StatementSettingsForm(Struct, frozen=True, kw_only=True):
    recorded: bool = False


@routes.get("/settings/statements", access=_ACCESS)
async def show_statement_settings(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show whether the platform writes statements, and since when."""
    settings = await queries.find_settings(tx)
    begins = {"recorded": "true" if settings else ""}
    return view.form("panel/settings/statements.html", refusal, begins, path=_PATH, settings=settings)


@routes.post("/settings/statements", access=_ACCESS, max_body=8192, refused=show_statement_settings)
async def save_statement_settings(tx: Tx, view: PanelView, form: StatementSettingsForm) -> Answer:
    """Save whether the platform writes statements."""
    await actions.set_recording(tx, on=form.recorded)
    return view.lead(_PATH, N_("The settings were saved."))
