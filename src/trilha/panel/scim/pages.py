"""/admin/scim"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.credentials import CredentialRefused, check_networks
from trilha.core.database import Tx
from trilha.core.errors import NotFound, Problem, invalid, problem
from trilha.core.moments import Day
from trilha.core.types import Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.pages import N_, NN_
from trilha.panel import lists
from trilha.panel.integration import shown_once
from trilha.panel.integration.credentials import SENTENCES, Networks, Rotation, asked_to_rotate
from trilha.panel.lists import Action, Empty, Table
from trilha.panel.scim.guides import GUIDES
from trilha.panel.view import HOME, PanelView
from trilha.scim import request_log
from trilha.scim.answers import BaseAddress
from trilha.scim.surface import ServerLimit
from trilha.scim.tokens import actions, queries
from trilha.scim.tokens.schema import ScimToken
from trilha.scim.users import queries as people
from trilha.sessions.permissions import Permission, may

routes = Routes("SCIM", "How an identity provider keeps people.")
ADDRESS = f"{HOME}/scim"
MANAGE = may(Permission.KEYS_MANAGE)
_SECTION = (N_("SCIM"), ADDRESS)
STATES = {"live": N_("Valid"), "expired": N_("Expired"), "revoked": N_("Revoked")}
_GONE = N_("This token was revoked before.")


class NewToken(Struct, frozen=True):
    """`expires_on` is its last day, in the tenant's time zone."""

    name: Name
    networks: Networks = ""
    expires_on: Day | None = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        try:
            check_networks(values.get("networks") or "")
        except CredentialRefused:
            yield problem("networks", "invalid_type")


class NewLimit(Struct, frozen=True):
    """Left empty, it is the server's."""

    requests: Annotated[int, Meta(ge=1, le=actions.MOST_REQUESTS)] | None = None


class Pressed(Struct, frozen=True):
    """A button, and nothing else."""


@routes.get("/scim", access=MANAGE)
async def show_scim(tx: Tx, view: PanelView, base: BaseAddress, limit: ServerLimit) -> Html:
    """The address, the tokens, and when a provider last called."""
    return view.show(
        "panel/scim/show.html",
        address=base,
        tokens=await queries.list_all(tx),
        state_of=lambda token: state_of(token, tx.now),
        states=STATES,
        activity=await request_log.find_activity(tx),
        counts=await people.count_linked(tx),
        own_limit=await queries.find_limit(tx),
        limit=limit.limit,
        guides=GUIDES,
    )


@routes.get("/scim/guides/{name}", access=MANAGE)
async def show_guide(view: PanelView, name: str, base: BaseAddress) -> Html:
    """What to enter at one provider, and where."""
    if name not in GUIDES:
        raise NotFound("route_not_found")
    return view.show("panel/scim/guide.html", guide=GUIDES[name], address=base, guides=GUIDES)


REQUESTS_TABLE = Table(
    listing=request_log.REQUESTS,
    path=f"{ADDRESS}/requests",
    title=N_("Requests of the provider"),
    crumbs=[(N_("SCIM"), ADDRESS)],
    lead=N_("The last 1,000, some seconds after they came. Only the names of changed attributes are kept."),
    row="panel/scim/_request_row.html",
    columns=[N_("Request"), N_("Outcome"), N_("Changed"), N_("When")],
    counted=NN_("%(num)s request", "%(num)s requests"),
    empty=Empty(
        N_("No request yet"),
        N_("As soon as the provider calls with a token, it is shown here."),
        "activity",
        actions=[Action(N_("Back to SCIM"), ADDRESS, "")],
    ),
)


@routes.get("/scim/requests", access=MANAGE)
async def list_requests(tx: Tx, view: PanelView, query: request_log.RequestQuery) -> Html:
    """The last requests, newest first."""
    return await lists.show(tx, view, REQUESTS_TABLE, query)


@routes.get("/scim/limit", access=MANAGE)
async def ask_limit(tx: Tx, view: PanelView, limit: ServerLimit, refusal: Refusal | None = None) -> Html:
    """How many requests the provider may send."""
    begins = {"requests": await queries.find_limit(tx)}
    return view.form("panel/scim/limit.html", refusal, begins, limit=limit.limit)


@routes.post("/scim/limit", access=MANAGE, refused=ask_limit)
async def change_limit(tx: Tx, view: PanelView, form: NewLimit) -> Answer:
    """Raise it, or take that back."""
    await actions.set_limit(tx, form.requests)
    return view.lead(ADDRESS, N_("The limit was saved."))


@routes.get("/scim/tokens/new", access=MANAGE)
async def new_token(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask which provider it is for."""
    return view.form("panel/scim/new.html", refusal, sentences=SENTENCES)


@routes.post("/scim/tokens/new", access=MANAGE, refused=new_token)
async def create_token(tx: Tx, view: PanelView, form: NewToken) -> Answer:
    """Create it, and lead to its secret."""
    lifetime = None
    if form.expires_on:
        lifetime = form.expires_on.last(view.page.time_zone).moment() - tx.now
        if lifetime.total_seconds() <= 0:
            raise invalid("expires_on", "not_in_future")
    issued = await actions.create(tx, form.name, networks=form.networks, lifetime=lifetime)
    return _to_secret(tx, view, issued.scim_token.id, issued.token)


@routes.get("/scim/{token_id}", access=MANAGE)
async def show_token(tx: Tx, view: PanelView, token_id: UUID) -> Html:
    """One token: from where it works, and when it was used."""
    token = await _get(tx, token_id)
    live = await queries.SECRETS.list_live(tx, token_id)
    return view.show(
        "panel/scim/token.html",
        token=token,
        state=state_of(token, tx.now),
        states=STATES,
        replaced=[each.expires_at for each in live if each.expires_at and not token.revoked_at],
    )


@routes.get("/scim/{token_id}/secret", access=MANAGE)
async def show_token_secret(tx: Tx, view: PanelView, token_id: UUID, base: BaseAddress) -> Html:
    """The token itself, on the way from the form that made it."""
    token = await _get(tx, token_id)
    secret = shown_once.find(tx, view, token_id)
    page = view.show("panel/scim/secret.html", token=token, secret=secret, address=base, guides=GUIDES)
    return shown_once.taken_back(view, page)


@routes.get("/scim/{token_id}/rotate", access=MANAGE)
async def ask_token_rotation(tx: Tx, view: PanelView, token_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask how long the present secret goes on working."""
    return asked_to_rotate(view, refusal, await _get(tx, token_id), _SECTION)


@routes.post("/scim/{token_id}/rotate", access=MANAGE, refused=ask_token_rotation)
async def rotate_token(tx: Tx, view: PanelView, token_id: UUID, form: Rotation) -> Answer:
    """Give it a new secret, and lead there."""
    await _get(tx, token_id)
    try:
        issued = await actions.rotate(tx, token_id, form.lasts)
    except CredentialRefused:
        return view.lead(f"{ADDRESS}/{token_id}", _GONE, state="warn")
    return _to_secret(tx, view, token_id, issued.token)


@routes.get("/scim/{token_id}/revoke", access=MANAGE)
async def ask_token_revocation(tx: Tx, view: PanelView, token_id: UUID) -> Html:
    """Ask once more."""
    return view.show("panel/scim/revoke.html", token=await _get(tx, token_id))


@routes.post("/scim/{token_id}/revoke", access=MANAGE)
async def revoke_token(tx: Tx, view: PanelView, token_id: UUID, form: Pressed) -> Answer:
    """End it, from the next request on."""
    token = await _get(tx, token_id)
    try:
        await actions.revoke(tx, token_id)
    except CredentialRefused:
        return view.lead(f"{ADDRESS}/{token_id}", _GONE, state="warn")
    return view.lead(ADDRESS, N_("The token %(name)s was revoked."), name=token.name)


def state_of(token: ScimToken, now: datetime) -> str:
    if token.revoked_at:
        return "revoked"
    return "expired" if token.expires_at and datetime.fromisoformat(token.expires_at) <= now else "live"


async def _get(tx: Tx, token_id: UUID) -> ScimToken:
    token = await queries.find(tx, token_id)
    if token is None:
        raise NotFound("route_not_found")
    return token


def _to_secret(tx: Tx, view: PanelView, token_id: UUID, secret: str) -> Answer:
    return shown_once.lead_to(tx, view, f"{ADDRESS}/{token_id}/secret", token_id, secret)
