"""/admin/oauth-clients"""

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta, structs

from trilha.access.oauth import actions, queries
from trilha.access.oauth import lists as client_lists
from trilha.access.oauth.rules import client_name
from trilha.access.oauth.schema import ClientQuery, KnownClient
from trilha.access.permissions.roles import Permission, may
from trilha.access.sessions.api import PublicAddress
from trilha.core.credentials import CredentialRefused
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.web.panel import lists
from trilha.web.panel.bulk.offering import BulkList
from trilha.web.panel.confirm import Button
from trilha.web.panel.lists import ACTIONS, Action, Bulk, Choice, Column, Empty, Table
from trilha.web.panel.oauth_clients import bulk
from trilha.web.panel.secrets import presets
from trilha.web.panel.secrets.forms import SCOPES, SENTENCES, NewScopedSecret, Rotation
from trilha.web.panel.secrets.pages import Owner
from trilha.web.panel.secrets.presets import PresetQuery
from trilha.web.panel.view import HOME, PanelView

routes = Routes("OAuth clients", "Applications that get access tokens for themselves.")
ADDRESS = f"{HOME}/oauth-clients"
MANAGE = may(Permission.KEYS_MANAGE)
STATES = {"live": N_("Enabled"), "disabled": N_("Disabled")}
_OUTDATED_NOTICE = N_("Someone else changed this client in the meantime. This is the latest version.")
_NO_KEYS = N_(
    'Paste a JWK set of 1 to 8 public keys: {"keys": [...]}. Private keys stay with the client, '
    "and an RSA key has 2048 to 8192 bits."
)


BULK = BulkList(
    routes=routes,
    path="/oauth-clients",
    title=N_("OAuth clients"),
    query=ClientQuery,
    targets=bulk.TARGETS,
    actions=bulk.ACTIONS,
)
BULK.add_pages()
CLIENTS_TABLE = Table(
    listing=client_lists.CLIENTS,
    path=ADDRESS,
    title=N_("OAuth clients"),
    lead=N_(
        "A client requests access tokens that last one hour, while an API key can last for years. "
        "Use a client if the other system supports OAuth 2."
    ),
    search=N_("Search by name"),
    choices=[Choice(name="state", label=N_("Any status"), options=STATES)],
    row="panel/oauth_clients/_row.html",
    values={"states": STATES},
    columns=[
        Column(N_("Name"), sort="name"),
        N_("Status"),
        N_("Authentication"),
        N_("Access"),
        N_("Last used"),
        ACTIONS,
    ],
    counted=NN_("%(num)s client", "%(num)s clients"),
    bulk=Bulk(buttons=BULK.buttons()),
    actions=[Action(N_("Create OAuth client"), f"{ADDRESS}/new", "plus", primary=True)],
    empty=Empty(
        N_("No OAuth client yet"),
        N_("Create one for each application that gets tokens. For a simple script, an API key is enough."),
        "app-window",
    ),
)


class NewClient(NewScopedSecret, frozen=True, kw_only=True):
    """`public_keys` is the JWK set of a client that signs."""

    method: Literal["secret", "keys"] = "secret"
    public_keys: Annotated[str, Meta(max_length=50_000, extra_json_schema=STORABLE)] = ""


async def _find_with_secret(tx: Tx, view: PanelView, client_id: UUID) -> KnownClient | None:
    client = await queries.find_client(tx, client_id)
    return None if client is None or client.public_keys else client


CLIENTS = Owner(
    routes=routes,
    path="/oauth-clients/{client_id}",
    access=MANAGE,
    get=lambda tx, view, client_id: queries.find_client(tx, client_id),
    table=queries.SECRETS,
    states=STATES,
    too_late=_OUTDATED_NOTICE,
)


@routes.get("/oauth-clients", access=MANAGE)
async def list_clients(tx: Tx, view: PanelView, query: ClientQuery) -> Html:
    """List the clients, including disabled ones."""
    return await lists.show(tx, view, CLIENTS_TABLE, query)


@routes.get("/oauth-clients/new", access=MANAGE)
async def new_client(view: PanelView, query: PresetQuery, refusal: Refusal | None = None) -> Html:
    """Ask for the client's name, scopes and authentication. A preset fills in scopes."""
    sentences = SENTENCES | {"invalid_text": _NO_KEYS}
    begins = {"method": "secret"} | presets.choose(view, query)
    links = presets.list_links(f"{ADDRESS}/new", query)
    return view.form("panel/oauth_clients/new.html", refusal, begins, sentences, scopes=SCOPES, presets=links)


@routes.post("/oauth-clients/new", access=MANAGE, refused=new_client)
async def create_client(tx: Tx, view: PanelView, form: NewClient) -> Answer:
    """Create the client and redirect to its secret, if it has one."""
    keys = _read_keys(form.public_keys) if form.method == "keys" else None
    try:
        issued = await actions.create(
            tx, form.name, form.scope_names(), networks=form.networks, public_keys=keys
        )
    except CredentialRefused:  # scopes and networks were checked with the form
        raise invalid("public_keys", "invalid_text") from None
    if issued.secret is None:
        return view.lead(
            f"{ADDRESS}/{issued.client.id}", N_("The client %(name)s was created."), name=form.name
        )
    return CLIENTS.lead(tx, view, issued.client.id, issued.secret)


@routes.get("/oauth-clients/{client_id}", access=MANAGE)
async def show_client(tx: Tx, view: PanelView, client_id: UUID, address: PublicAddress) -> Html:
    """Show a client: scopes, networks and last use."""
    client = await CLIENTS.find(tx, view, client_id)
    return await CLIENTS.show(
        tx,
        view,
        client,
        "disabled" if client.disabled_at else "live",
        "panel/oauth_clients/show.html",
        client_name=client_name(client_id),
        address=address,
        scopes=SCOPES,
    )


@routes.get("/oauth-clients/{client_id}/secret", access=MANAGE)
async def show_secret(tx: Tx, view: PanelView, client_id: UUID, address: PublicAddress) -> Html:
    """Show the new secret."""
    template, name = "panel/oauth_clients/secret.html", client_name(client_id)
    return await CLIENTS.show_secret(tx, view, client_id, template, client_name=name, address=address)


@routes.post("/oauth-clients/{client_id}/enable", access=MANAGE)
async def enable_client(tx: Tx, view: PanelView, client_id: UUID, form: Button) -> Answer:
    """Enable the client again."""
    client, address = await CLIENTS.find(tx, view, client_id), CLIENTS.address(client_id)
    try:
        await actions.enable(tx, client_id)
    except CredentialRefused:
        return view.lead(address, _OUTDATED_NOTICE, state="warn")
    return view.lead(address, N_("The client %(name)s was enabled."), name=client.name)


async def _rotate(tx: Tx, client_id: UUID, form: Rotation) -> str:
    issued = await actions.rotate(tx, client_id, form.duration)
    assert issued.secret is not None
    return issued.secret


structs.replace(CLIENTS, get=_find_with_secret).ask_to_rotate(_rotate)
CLIENTS.ask(
    "disable",
    actions.disable,
    N_("Disable %(name)s"),
    [
        N_("It gets no more tokens, and the tokens it has stop working at once."),
        N_("You can enable it again; it then has to ask for new tokens."),
    ],
    N_("Disable client"),
    N_("The client %(name)s was disabled."),
    too_late=_OUTDATED_NOTICE,
)
CLIENTS.ask(
    "delete",
    actions.delete,
    N_("Delete %(name)s"),
    [
        N_("The client, its secrets and its tokens stop working at once. This cannot be undone."),
        N_("The audit record keeps its history."),
    ],
    N_("Delete client"),
    N_("The client %(name)s was deleted."),
    gone=True,
    too_late=_OUTDATED_NOTICE,
)


def _read_keys(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:  # ValidationError is one, too
        raise invalid("public_keys", "invalid_text") from None
