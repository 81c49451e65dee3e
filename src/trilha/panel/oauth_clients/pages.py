"""/admin/oauth-clients"""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from trilha.core.credentials import CredentialRefused, Scope
from trilha.core.database import Tx
from trilha.core.errors import NotFound, Problem, invalid
from trilha.core.types import STORABLE, Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.oauth import actions, queries
from trilha.oauth.lists import CLIENTS
from trilha.oauth.rules import client_name
from trilha.oauth.schema import ClientQuery, KnownClient
from trilha.pages import N_, NN_
from trilha.panel import lists
from trilha.panel.integration import shown_once
from trilha.panel.integration.credentials import (
    SCOPES,
    SENTENCES,
    Networks,
    Rotation,
    asked_to_rotate,
    problems_of,
)
from trilha.panel.lists import Action, Choice, Column, Empty, Table
from trilha.panel.view import HOME, PanelView
from trilha.sessions.api import PublicAddress
from trilha.sessions.permissions import Permission, may

routes = Routes("OAuth clients", "Applications that get access tokens for themselves.")
ADDRESS = f"{HOME}/oauth-clients"
MANAGE = may(Permission.KEYS_MANAGE)
_SECTION = (N_("OAuth clients"), ADDRESS)
STATES = {"live": N_("Enabled"), "disabled": N_("Disabled")}
_CHANGED = N_("Someone changed this client before you. This is how it is now.")
_NO_KEYS = N_(
    'Paste a JWK set of 1 to 8 public keys: {"keys": [...]}. Private keys stay with the client, '
    "and an RSA key has 2048 to 8192 bits."
)


CLIENTS_TABLE = Table(
    listing=CLIENTS,
    path=ADDRESS,
    title=N_("OAuth clients"),
    lead=N_(
        "A client asks for access tokens that last an hour, where a key lasts for years. "
        "Use one where the other system knows OAuth 2."
    ),
    search=N_("Search by name"),
    choices=[Choice(name="state", label=N_("Any status"), options=STATES)],
    row="panel/oauth_clients/_row.html",
    values={"states": STATES},
    columns=[
        Column(N_("Name"), sort="name"),
        N_("Status"),
        N_("Proves itself by"),
        N_("Access"),
        N_("Last used"),
        Column(N_("Actions"), quiet=True),
    ],
    counted=NN_("%(num)s client", "%(num)s clients"),
    actions=[Action(N_("Create OAuth client"), f"{ADDRESS}/new", "plus", primary=True)],
    empty=Empty(
        N_("No OAuth client yet"),
        N_("Create one for each application that gets tokens. For a simple script, an API key is enough."),
        "app-window",
    ),
)


class NewClient(Struct, frozen=True):
    """`public_keys` is a JWK set, of a client that signs."""

    name: Name
    scopes: list[Scope] = []
    networks: Networks = ""
    method: Literal["secret", "keys"] = "secret"
    public_keys: Annotated[str, Meta(max_length=50_000, extra_json_schema=STORABLE)] = ""

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        yield from problems_of(values)


class Pressed(Struct, frozen=True):
    """A button, and nothing else."""


@routes.get("/oauth-clients", access=MANAGE)
async def list_clients(tx: Tx, view: PanelView, query: ClientQuery) -> Html:
    """The clients, disabled ones too."""
    return await lists.show(tx, view, CLIENTS_TABLE, query)


@routes.get("/oauth-clients/new", access=MANAGE)
async def new_client(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask what the client is for, what it may do, and how it proves who it is."""
    sentences = SENTENCES | {"invalid_text": _NO_KEYS}
    begins = {"method": "secret"}
    return view.form("panel/oauth_clients/new.html", refusal, begins, sentences, scopes=SCOPES)


@routes.post("/oauth-clients/new", access=MANAGE, refused=new_client)
async def create_client(tx: Tx, view: PanelView, form: NewClient) -> Answer:
    """Create it, and lead to its secret where it has one."""
    scopes = [str(scope) for scope in dict.fromkeys(form.scopes)]
    keys = _read_keys(form.public_keys) if form.method == "keys" else None
    try:
        issued = await actions.create(tx, form.name, scopes, networks=form.networks, public_keys=keys)
    except CredentialRefused:  # scopes and networks were checked with the form
        raise invalid("public_keys", "invalid_text") from None
    if issued.secret is None:
        return view.lead(
            f"{ADDRESS}/{issued.client.id}", N_("The client %(name)s was created."), name=form.name
        )
    return _to_secret(tx, view, issued.client.id, issued.secret)


@routes.get("/oauth-clients/{client_id}", access=MANAGE)
async def show_client(tx: Tx, view: PanelView, client_id: UUID, address: PublicAddress) -> Html:
    """One client: what it may do, from where, and when it was used."""
    client = await _get(tx, client_id)
    live = [] if client.public_keys else await queries.SECRETS.list_live(tx, client_id)
    return view.show(
        "panel/oauth_clients/show.html",
        client=client,
        client_name=client_name(client_id),
        address=address,
        states=STATES,
        scopes=SCOPES,
        replaced=[each.expires_at for each in live if each.expires_at and not client.disabled_at],
    )


@routes.get("/oauth-clients/{client_id}/secret", access=MANAGE)
async def show_secret(tx: Tx, view: PanelView, client_id: UUID, address: PublicAddress) -> Html:
    """The secret, on the way from the form that made it."""
    client = await _get(tx, client_id)
    page = view.show(
        "panel/oauth_clients/secret.html",
        client=client,
        client_name=client_name(client_id),
        secret=shown_once.find(tx, view, client_id),
        address=address,
    )
    return shown_once.taken_back(view, page)


@routes.get("/oauth-clients/{client_id}/rotate", access=MANAGE)
async def ask_rotation(tx: Tx, view: PanelView, client_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask how long the present secret goes on working."""
    client = await _get(tx, client_id)
    if client.public_keys:
        raise NotFound("route_not_found")
    return asked_to_rotate(view, refusal, client, _SECTION)


@routes.post("/oauth-clients/{client_id}/rotate", access=MANAGE, refused=ask_rotation)
async def rotate_secret(tx: Tx, view: PanelView, client_id: UUID, form: Rotation) -> Answer:
    """Give it a new secret, and lead there."""
    await _get(tx, client_id)
    try:
        issued = await actions.rotate(tx, client_id, form.lasts)
    except CredentialRefused:
        return view.lead(f"{ADDRESS}/{client_id}", _CHANGED, state="warn")
    assert issued.secret is not None
    return _to_secret(tx, view, client_id, issued.secret)


@routes.get("/oauth-clients/{client_id}/disable", access=MANAGE)
async def ask_disabling(tx: Tx, view: PanelView, client_id: UUID) -> Html:
    """Ask once more."""
    return view.show("panel/oauth_clients/disable.html", client=await _get(tx, client_id))


@routes.post("/oauth-clients/{client_id}/disable", access=MANAGE)
async def disable_client(tx: Tx, view: PanelView, client_id: UUID, form: Pressed) -> Answer:
    """Refuse it and its tokens, from the next request on."""
    client = await _get(tx, client_id)
    try:
        await actions.disable(tx, client_id)
    except CredentialRefused:
        return view.lead(f"{ADDRESS}/{client_id}", _CHANGED, state="warn")
    return view.lead(f"{ADDRESS}/{client_id}", N_("The client %(name)s was disabled."), name=client.name)


@routes.post("/oauth-clients/{client_id}/enable", access=MANAGE)
async def enable_client(tx: Tx, view: PanelView, client_id: UUID, form: Pressed) -> Answer:
    """Let it get tokens again."""
    client = await _get(tx, client_id)
    try:
        await actions.enable(tx, client_id)
    except CredentialRefused:
        return view.lead(f"{ADDRESS}/{client_id}", _CHANGED, state="warn")
    return view.lead(f"{ADDRESS}/{client_id}", N_("The client %(name)s was enabled."), name=client.name)


@routes.get("/oauth-clients/{client_id}/delete", access=MANAGE)
async def ask_deletion(tx: Tx, view: PanelView, client_id: UUID) -> Html:
    """Ask once more."""
    return view.show("panel/oauth_clients/delete.html", client=await _get(tx, client_id))


@routes.post("/oauth-clients/{client_id}/delete", access=MANAGE)
async def delete_client(tx: Tx, view: PanelView, client_id: UUID, form: Pressed) -> Answer:
    """Remove it with its secrets; its tokens are dead."""
    client = await _get(tx, client_id)
    await actions.delete(tx, client_id)
    return view.lead(ADDRESS, N_("The client %(name)s was deleted."), name=client.name)


async def _get(tx: Tx, client_id: UUID) -> KnownClient:
    client = await queries.find_client(tx, client_id)
    if client is None:
        raise NotFound("route_not_found")
    return client


def _read_keys(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:  # ValidationError is one, too
        raise invalid("public_keys", "invalid_text") from None


def _to_secret(tx: Tx, view: PanelView, client_id: UUID, secret: str) -> Answer:
    return shown_once.lead_to(tx, view, f"{ADDRESS}/{client_id}/secret", client_id, secret)
