"""/admin/api-keys: lists, creates, rotates and revokes API keys."""

from uuid import UUID

from trilha.access.api_keys import actions, queries
from trilha.access.api_keys import lists as key_lists
from trilha.access.api_keys.schema import KeyPrefix, KeyQuery
from trilha.access.permissions.roles import Permission, may
from trilha.access.sessions.api import PublicAddress
from trilha.core.database import Tx
from trilha.core.moments import Day
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.web.panel import lists
from trilha.web.panel.api_keys import bulk
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.lists import ACTIONS, Action, Bulk, Choice, Column, Empty, Table
from trilha.web.panel.secrets import presets
from trilha.web.panel.secrets.forms import SCOPES, SENTENCES, NewScopedSecret, Rotation, lifetime_until
from trilha.web.panel.secrets.pages import Owner, state_of
from trilha.web.panel.secrets.presets import PresetQuery
from trilha.web.panel.view import HOME, PanelView

routes = Routes("API keys", "The keys that integrations call the API with.")
ADDRESS = f"{HOME}/api-keys"
MANAGE = may(Permission.KEYS_MANAGE)
STATES = {"live": N_("Valid"), "expired": N_("Expired"), "revoked": N_("Revoked")}
FILTERS = STATES | {"expiring": N_("Expires within 30 days")}


BULK = BulkList(
    routes=routes,
    path="/api-keys",
    title=N_("API keys"),
    query=KeyQuery,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
KEYS_TABLE = Table(
    listing=key_lists.KEYS,
    path=ADDRESS,
    title=N_("API keys"),
    lead=N_(
        "Other systems use keys to call the API. Create a separate key for each system, with"
        " only the access it needs."
    ),
    search=N_("Search by name"),
    choices=[Choice(name="state", label=N_("Any status"), options=FILTERS)],
    row="panel/api_keys/_row.html",
    values={"state_of": state_of, "states": STATES},
    columns=[
        Column(N_("Name"), sort="name"),
        N_("Status"),
        N_("Access"),
        N_("Last used"),
        N_("Expires"),
        ACTIONS,
    ],
    counted=NN_("%(num)s key", "%(num)s keys"),
    bulk=Bulk(buttons=BULK.buttons()),
    actions=[Action(N_("Create API key"), f"{ADDRESS}/new", "plus", primary=True)],
    empty=Empty(
        N_("No API keys yet"),
        N_("Create one for each system that reads or changes your company's data, such as the HR system."),
        "key-round",
    ),
)


class NewKey(NewScopedSecret, frozen=True, kw_only=True):
    """`expires_on` is the last day on which the key works, in the tenant's time zone."""

    expires_on: Day | None = None


KEYS = Owner(
    routes=routes,
    path="/api-keys/{key_id}",
    access=MANAGE,
    get=lambda tx, view, key_id: queries.find(tx, key_id),
    table=queries.SECRETS,
    states=STATES,
    too_late=N_("This key has already been revoked."),
)


@routes.get("/api-keys", access=MANAGE)
async def list_keys(tx: Tx, view: PanelView, query: KeyQuery) -> Html:
    """Lists the keys, including revoked ones."""
    return await lists.show(tx, view, KEYS_TABLE, query, now=tx.now)


@routes.get("/api-keys/new", access=MANAGE)
async def new_key(view: PanelView, query: PresetQuery, refusal: Refusal | None = None) -> Html:
    """Shows the form for a new key: its name, scopes, networks and last day. A preset fills in scopes."""
    begins = presets.choose(view, query)
    links = presets.list_links(f"{ADDRESS}/new", query)
    return view.form(
        "panel/api_keys/new.html", refusal, begins, sentences=SENTENCES, scopes=SCOPES, presets=links
    )


@routes.post("/api-keys/new", access=MANAGE, refused=new_key)
async def create_key(tx: Tx, view: PanelView, form: NewKey, prefix: KeyPrefix) -> Answer:
    """Creates the key and redirects to the page that shows its secret once."""
    lifetime = lifetime_until(tx, view, form.expires_on)
    issued = await actions.create(
        tx, form.name, form.scope_names(), prefix=prefix, networks=form.networks, lifetime=lifetime
    )
    return KEYS.lead(tx, view, issued.api_key.id, issued.key)


@routes.get("/api-keys/{key_id}", access=MANAGE)
async def show_key(tx: Tx, view: PanelView, key_id: UUID) -> Html:
    """Shows one key: its scopes, its networks and when it was last used."""
    key = await KEYS.find(tx, view, key_id)
    template = "panel/api_keys/show.html"
    return await KEYS.show(tx, view, key, state_of(key, tx.now), template, scopes=SCOPES)


@routes.get("/api-keys/{key_id}/secret", access=MANAGE)
async def show_secret(tx: Tx, view: PanelView, key_id: UUID, address: PublicAddress) -> Html:
    """Shows the secret once, right after it was created or rotated."""
    return await KEYS.show_secret(tx, view, key_id, "panel/api_keys/secret.html", address=address)


async def _rotate(tx: Tx, key_id: UUID, form: Rotation, prefix: KeyPrefix) -> str:
    return (await actions.rotate(tx, key_id, prefix=prefix, grace=form.duration)).key


KEYS.ask_to_rotate(_rotate, needs=KeyPrefix)
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
    too_late=KEYS.too_late,
)
