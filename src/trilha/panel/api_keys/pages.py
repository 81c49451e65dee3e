"""/admin/api-keys"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.api_keys import actions, queries
from trilha.api_keys.lists import KEYS
from trilha.api_keys.schema import ApiKey, KeyPrefix, KeyQuery
from trilha.core.credentials import CredentialRefused, Scope
from trilha.core.database import Tx
from trilha.core.errors import NotFound, Problem, invalid
from trilha.core.moments import Day
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
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

routes = Routes("API keys", "The keys that integrations call the API with.")
ADDRESS = f"{HOME}/api-keys"
MANAGE = may(Permission.KEYS_MANAGE)
_SECTION = (N_("API keys"), ADDRESS)
STATES = {"live": N_("Valid"), "expired": N_("Expired"), "revoked": N_("Revoked")}
FILTERS = STATES | {"expiring": N_("Expires within 30 days")}
_GONE = N_("This key was revoked before.")


def state_of(key: ApiKey, now: datetime) -> str:
    if key.revoked_at:
        return "revoked"
    return "expired" if key.expires_at and datetime.fromisoformat(key.expires_at) <= now else "live"


KEYS_TABLE = Table(
    listing=KEYS,
    path=ADDRESS,
    title=N_("API keys"),
    lead=N_(
        "Other systems call the API with a key. Give each system a key of its own, with the access it needs."
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
        Column(N_("Actions"), quiet=True),
    ],
    counted=NN_("%(num)s key", "%(num)s keys"),
    actions=[Action(N_("Create API key"), f"{ADDRESS}/new", "plus", primary=True)],
    empty=Empty(
        N_("No API key yet"),
        N_("Create one for each system that reads or changes your company's data, such as the HR system."),
        "key-round",
    ),
)


class NewKey(Struct, frozen=True):
    """`expires_on` is its last day, in the tenant's time zone."""

    name: Name
    scopes: list[Scope] = []
    networks: Networks = ""
    expires_on: Day | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        yield from problems_of(values)


class Pressed(Struct, frozen=True):
    """A button, and nothing else."""


@routes.get("/api-keys", access=MANAGE)
async def list_keys(tx: Tx, view: PanelView, query: KeyQuery) -> Html:
    """The keys, revoked ones too."""
    return await lists.show(tx, view, KEYS_TABLE, query, now=tx.now)


@routes.get("/api-keys/new", access=MANAGE)
async def new_key(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask what the key is for, and what it may do."""
    return view.form("panel/api_keys/new.html", refusal, sentences=SENTENCES, scopes=SCOPES)


@routes.post("/api-keys/new", access=MANAGE, refused=new_key)
async def create_key(tx: Tx, view: PanelView, form: NewKey, prefix: KeyPrefix) -> Answer:
    """Create it, and lead to its secret."""
    lifetime = None
    if form.expires_on:
        lifetime = form.expires_on.last(view.page.time_zone).moment() - tx.now
        if lifetime.total_seconds() <= 0:
            raise invalid("expires_on", "not_in_future")
    scopes = [str(scope) for scope in dict.fromkeys(form.scopes)]
    issued = await actions.create(
        tx, form.name, scopes, prefix=prefix, networks=form.networks, lifetime=lifetime
    )
    return _to_secret(tx, view, issued.api_key.id, issued.key)


@routes.get("/api-keys/{key_id}", access=MANAGE)
async def show_key(tx: Tx, view: PanelView, key_id: UUID) -> Html:
    """One key: what it may do, from where, and when it was used."""
    key = await _get(tx, key_id)
    live = await queries.SECRETS.list_live(tx, key_id)
    return view.show(
        "panel/api_keys/show.html",
        key=key,
        state=state_of(key, tx.now),
        states=STATES,
        scopes=SCOPES,
        replaced=[each.expires_at for each in live if each.expires_at and not key.revoked_at],
    )


@routes.get("/api-keys/{key_id}/secret", access=MANAGE)
async def show_secret(tx: Tx, view: PanelView, key_id: UUID, address: PublicAddress) -> Html:
    """The secret, on the way from the form that made it."""
    key = await _get(tx, key_id)
    secret = shown_once.find(tx, view, key_id)
    page = view.show("panel/api_keys/secret.html", key=key, secret=secret, address=address)
    return shown_once.taken_back(view, page)


@routes.get("/api-keys/{key_id}/rotate", access=MANAGE)
async def ask_rotation(tx: Tx, view: PanelView, key_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask how long the present secret goes on working."""
    key = await _get(tx, key_id)
    return asked_to_rotate(view, refusal, key, _SECTION)


@routes.post("/api-keys/{key_id}/rotate", access=MANAGE, refused=ask_rotation)
async def rotate_key(tx: Tx, view: PanelView, key_id: UUID, form: Rotation, prefix: KeyPrefix) -> Answer:
    """Give it a new secret, and lead there."""
    await _get(tx, key_id)
    try:
        issued = await actions.rotate(tx, key_id, prefix=prefix, grace=form.lasts)
    except CredentialRefused:
        return view.lead(f"{ADDRESS}/{key_id}", _GONE, state="warn")
    return _to_secret(tx, view, key_id, issued.key)


@routes.get("/api-keys/{key_id}/revoke", access=MANAGE)
async def ask_revocation(tx: Tx, view: PanelView, key_id: UUID) -> Html:
    """Ask once more."""
    return view.show("panel/api_keys/revoke.html", key=await _get(tx, key_id))


@routes.post("/api-keys/{key_id}/revoke", access=MANAGE)
async def revoke_key(tx: Tx, view: PanelView, key_id: UUID, form: Pressed) -> Answer:
    """End it, from the next request on."""
    key = await _get(tx, key_id)
    try:
        await actions.revoke(tx, key_id)
    except CredentialRefused:
        return view.lead(f"{ADDRESS}/{key_id}", _GONE, state="warn")
    return view.lead(ADDRESS, N_("The key %(name)s was revoked."), name=key.name)


async def _get(tx: Tx, key_id: UUID) -> ApiKey:
    key = await queries.find(tx, key_id)
    if key is None:
        raise NotFound("route_not_found")
    return key


def _to_secret(tx: Tx, view: PanelView, key_id: UUID, secret: str) -> Answer:
    return shown_once.lead_to(tx, view, f"{ADDRESS}/{key_id}/secret", key_id, secret)
