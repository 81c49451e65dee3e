"""/admin/settings/evaluations: whether people are asked to evaluate courses."""

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.evaluations import actions, queries
from trilha.web.panel.settings.pages import PATH
from trilha.web.panel.view import PanelView

routes = Routes("Settings: evaluations", "Whether people are asked to evaluate courses.")
_PATH = f"{PATH}/evaluations"
_ACCESS = may(Permission.SETTINGS_WRITE)


class EvaluationSettingsForm(Struct, frozen=True, kw_only=True):
    offered: bool = False


@routes.get("/settings/evaluations", access=_ACCESS)
async def show_settings(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Shows whether people are asked to evaluate courses."""
    begins = {"offered": "true" if await queries.are_offered(tx) else ""}
    return view.form("panel/evaluations/settings.html", refusal, begins, path=_PATH)


@routes.post("/settings/evaluations", access=_ACCESS, refused=show_settings)
async def save_settings(tx: Tx, view: PanelView, form: EvaluationSettingsForm) -> Answer:
    """Saves whether people are asked to evaluate courses."""
    await actions.set_offered(tx, offered=form.offered)
    return view.lead(_PATH, N_("The settings were saved."))
