"""/admin/settings/retention: how long logs are kept."""

from msgspec.structs import asdict

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.platform.retention import actions, queries, rules
from trilha.platform.retention.schema import RetentionSettings
from trilha.web.panel.settings.pages import PATH
from trilha.web.panel.view import PanelView

routes = Routes("Settings: retention", "How long logs are kept.")
_ACCESS = may(Permission.SETTINGS_WRITE)
_SENTENCES = {
    "out_of_range": N_("Enter at least the number of days shown above, and at most 36,500."),
    "invalid_type": N_("Enter a number of days, or leave the field empty."),
}


@routes.get("/settings/retention", access=_ACCESS)
async def show_retention(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show how many days each log is kept."""
    begins = {name: "" if days is None else days for name, days in asdict(await queries.get(tx)).items()}
    return view.form("panel/settings/retention.html", refusal, begins, _SENTENCES, rules=rules)


@routes.post("/settings/retention", access=_ACCESS, max_body=8192, refused=show_retention)
async def save_retention(tx: Tx, view: PanelView, form: RetentionSettings) -> Answer:
    await actions.change(tx, form)
    return view.lead(f"{PATH}/retention", N_("The settings were saved."))
