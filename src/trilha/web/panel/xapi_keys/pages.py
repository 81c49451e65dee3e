"""/admin/xapi-keys: lists, creates and revokes xAPI keys."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.sessions.api import PublicAddress
from trilha.access.xapi_keys import actions, queries
from trilha.access.xapi_keys.lists import XAPI_KEYS
from trilha.access.xapi_keys.schema import XapiKey, XapiKeyQuery
from trilha.core.database import Tx
from trilha.core.errors import Problem, problem
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.web.panel import lists
from trilha.web.panel.confirm import Subject
from trilha.web.panel.lists import ACTIONS, Action, Choice, Column, Empty, Table
from trilha.web.panel.secrets import handover
from trilha.web.panel.view import HOME, PanelView

routes = Routes("xAPI keys", "The keys that content and other programs send learning records with.")
ADDRESS = f"{HOME}/xapi-keys"
MANAGE = may(Permission.KEYS_MANAGE)
STATES = {"live": N_("Valid"), "revoked": N_("Revoked")}
# What each scope allows. Its name is shown beside the text.
SCOPES = {
    "xapi:read": N_("Read learning records, states and profiles"),
    "xapi:write": N_("Store learning records, states and profiles"),
}
KEYS_TABLE = Table(
    listing=XAPI_KEYS,
    path=ADDRESS,
    title=N_("xAPI keys"),
    lead=N_(
        "Simulators, authoring tools and other programs send learning records with a key. Create a separate"
        " key for each of them."
    ),
    search=N_("Search by name or key"),
    choices=[Choice(name="state", label=N_("Any status"), options=STATES)],
    row="panel/xapi_keys/_row.html",
    values={"states": STATES},
    columns=[
        Column(N_("Name"), sort="name"),
        N_("Status"),
        N_("Access"),
        N_("Last used"),
        Column(N_("Created at"), sort="-created"),
        ACTIONS,
    ],
    counted=NN_("%(num)s key", "%(num)s keys"),
    actions=[
        Action(N_("See learning records"), f"{HOME}/statements", "list", Permission.AUDIT_READ),
        Action(N_("Create xAPI key"), f"{ADDRESS}/new", "plus", primary=True),
    ],
    empty=Empty(
        N_("No xAPI keys yet"),
        N_("Create one for each program that sends or reads learning records, such as a simulator."),
        "key-round",
    ),
)
KEYS = Subject(
    routes=routes,
    path="/xapi-keys/{xapi_key_id}",
    access=MANAGE,
    get=lambda tx, view, key_id: queries.find(tx, key_id),
)


class NewXapiKey(Struct, frozen=True, kw_only=True):
    """The form for a new key."""

    name: Name
    scopes: list[Literal["xapi:read", "xapi:write"]] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if not values.get("scopes"):
            yield problem("scopes", "invalid_value")


def _state_of(key: XapiKey) -> str:
    return "revoked" if key.revoked_at else "live"


@routes.get("/xapi-keys", access=MANAGE)
async def list_xapi_keys(tx: Tx, view: PanelView, query: XapiKeyQuery) -> Html:
    """Lists the keys, including revoked ones."""
    return await lists.show(tx, view, KEYS_TABLE, query, state_of=_state_of)


@routes.get("/xapi-keys/new", access=MANAGE)
async def new_xapi_key(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new key: its name and scopes."""
    begins = {"scopes": list(SCOPES)}
    return view.form("panel/xapi_keys/new.html", refusal, begins, scopes=SCOPES)


@routes.post("/xapi-keys/new", access=MANAGE, refused=new_xapi_key)
async def create_xapi_key(tx: Tx, view: PanelView, form: NewXapiKey) -> Answer:
    """Creates the key and redirects to the page that shows its secret once."""
    issued = await actions.create(tx, form.name, list(form.scopes))
    key_id = issued.xapi_key.id
    return handover.lead_to(tx, view, f"{KEYS.address(key_id)}/secret", key_id, issued.secret)


@routes.get("/xapi-keys/{xapi_key_id}", access=MANAGE)
async def show_xapi_key(tx: Tx, view: PanelView, xapi_key_id: UUID, address: PublicAddress) -> Html:
    """Shows one key: its scopes, and when it was last used."""
    key: XapiKey = await KEYS.find(tx, view, xapi_key_id)
    return view.show(
        "panel/xapi_keys/show.html",
        owner=key,
        state=_state_of(key),
        states=STATES,
        scopes=SCOPES,
        here=KEYS.address(key.id),
        address=address,
    )


@routes.get("/xapi-keys/{xapi_key_id}/secret", access=MANAGE)
async def show_xapi_secret(tx: Tx, view: PanelView, xapi_key_id: UUID, address: PublicAddress) -> Html:
    """Shows the secret once, right after it was created."""
    key: XapiKey = await KEYS.find(tx, view, xapi_key_id)
    secret = handover.find(tx, view, key.id)
    page = view.show(
        "panel/xapi_keys/secret.html",
        owner=key,
        secret=secret,
        here=KEYS.address(key.id),
        address=address,
    )
    return handover.take_back(view, page)


KEYS.ask(
    "revoke",
    actions.revoke,
    N_("Revoke %(name)s"),
    [
        N_("Requests with this key will fail from now on. This cannot be undone."),
        N_("Last used: %(last_used_at)s"),
    ],
    N_("Revoke key"),
    N_("The key %(name)s was revoked."),
    gone=True,
    too_late=N_("This key has already been revoked."),
)
