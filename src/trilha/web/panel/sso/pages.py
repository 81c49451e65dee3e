"""/admin/sso: the connections, and who has to use them."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.sessions.api import PublicAddress
from trilha.access.sso import enforcement, people, queries
from trilha.access.sso.domains import queries as domains
from trilha.access.sso.schema import Connection
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.web.panel.sso.details import CALLBACK
from trilha.web.panel.sso.guides import GUIDES
from trilha.web.panel.sso.words import ALERTS, KINDS
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Single sign-on", "Signing in with a company's own provider.")
ADDRESS = f"{HOME}/sso"
MANAGE = may(Permission.KEYS_MANAGE)
say(
    no_verified_domain=N_("Verify one of the connection's domains first."),
    last_connection=N_("Sign-in with a provider is required. Enable another connection first."),
    no_enabled_connection=N_("Enable a connection first."),
    no_break_glass=N_("Choose at least one administrator who may use a password."),
    not_an_administrator=N_("Choose active administrators who have a password."),
)


class Requirement(Struct, frozen=True):
    """`administrators` are the ids of those who may still use a password."""

    required: bool = False
    administrators: list[UUID] = []


@routes.get("/sso", access=MANAGE)
async def show_connections(tx: Tx, view: PanelView) -> Html:
    """Show the connections and what needs attention."""
    return view.show(
        "panel/sso/show.html",
        connections=await queries.list_all(tx),
        domains=await domains.list_all(tx),
        kinds=KINDS,
        guides=GUIDES,
        alerts_of=alerts_of,
        required=await enforcement.is_required(tx),
    )


class Alert(Struct, frozen=True):
    """A problem of a connection as a msgid, and since when it exists. `at` is its deadline, `text` are
    details.
    """

    words: str
    since: str
    at: str = ""
    text: str = ""


def alerts_of(connection: Connection) -> Sequence[Alert]:
    return [
        Alert(
            ALERTS.get(code, N_("The connection needs attention")),
            told["since"],
            **{"at" if code == "certificate" else "text": told["text"]},
        )
        for code, told in connection.alerts.items()
    ]


@routes.get("/sso/guides/{name}", access=MANAGE)
async def show_guide(view: PanelView, name: str, address: PublicAddress) -> Html:
    """Show the setup guide of one provider, before there is a connection."""
    if name not in GUIDES:
        raise NotFound("route_not_found")
    return view.show(
        "panel/sso/guide.html",
        guide=GUIDES[name],
        connection=None,
        kinds=KINDS,
        given={"callback": f"{address}{CALLBACK}"},
    )


@routes.get("/sso/required", access=MANAGE)
async def show_requirement(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show whether everybody has to use the provider, and the exceptions."""
    admins = await people.list_administrators(tx)
    begins = {
        "required": await enforcement.is_required(tx),
        "administrators": [str(each.id) for each in admins if each.break_glass],
    }
    return view.form(
        "panel/sso/required.html",
        refusal,
        begins,
        admins=[(str(each.id), each.name, each.email) for each in admins],
        enabled=[each.name for each in await queries.list_all(tx) if each.enabled],
    )


@routes.post("/sso/required", access=MANAGE, refused=show_requirement)
async def change_requirement(tx: Tx, view: PanelView, form: Requirement) -> Answer:
    """Require the provider for everybody but the chosen administrators, or allow passwords again."""
    if not form.required:
        await enforcement.allow_passwords(tx)
    chosen = set(form.administrators)
    known = await people.list_administrators(tx)
    for user_id in sorted(chosen):
        await enforcement.set_break_glass(tx, user_id, allowed=True)
    for each in known:
        if each.break_glass and each.id not in chosen:
            await enforcement.set_break_glass(tx, each.id, allowed=False)
    if form.required:
        await enforcement.require(tx)
    return view.lead(f"{ADDRESS}/required", N_("Changes saved."))
