"""/admin/scim"""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.scim import request_log
from trilha.access.scim.answers import BaseAddress
from trilha.access.scim.limits import ServerLimit
from trilha.access.scim.tokens import actions, queries
from trilha.access.scim.users import queries as people
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.moments import Day
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.web.panel import lists
from trilha.web.panel.lists import Action, Empty, Table
from trilha.web.panel.scim.guides import GUIDES
from trilha.web.panel.secrets.forms import SENTENCES, NewSecret, Rotation, lifetime_until
from trilha.web.panel.secrets.pages import Owner, state_of
from trilha.web.panel.view import HOME, PanelView

routes = Routes("SCIM", "How an identity provider keeps people.")
ADDRESS = f"{HOME}/scim"
MANAGE = may(Permission.KEYS_MANAGE)
STATES = {"live": N_("Valid"), "expired": N_("Expired"), "revoked": N_("Revoked")}


class NewToken(NewSecret, frozen=True, kw_only=True):
    """`expires_on` is the token's last day, in the tenant's time zone."""

    expires_on: Day | None = None


class NewLimit(Struct, frozen=True):
    """An empty limit means the server's."""

    requests: Annotated[int, Meta(ge=1, le=actions.MAX_REQUESTS)] | None = None


TOKENS = Owner(
    routes=routes,
    path="/scim/{token_id}",
    access=MANAGE,
    get=lambda tx, view, token_id: queries.find(tx, token_id),
    table=queries.SECRETS,
    states=STATES,
    too_late=N_("This token is already revoked."),
)


@routes.get("/scim", access=MANAGE)
async def show_scim(tx: Tx, view: PanelView, base: BaseAddress, limit: ServerLimit) -> Html:
    """Show the address, the tokens, and the provider's last call."""
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
    """Show the setup guide of one provider."""
    if name not in GUIDES:
        raise NotFound("route_not_found")
    return view.show("panel/scim/guide.html", guide=GUIDES[name], address=base, guides=GUIDES)


REQUESTS_TABLE = Table(
    listing=request_log.REQUESTS,
    path=f"{ADDRESS}/requests",
    title=N_("Provider requests"),
    crumbs=[(N_("SCIM"), ADDRESS)],
    lead=N_("The last 1,000 requests. Only the names of changed attributes are stored."),
    row="panel/scim/_request_row.html",
    columns=[N_("Request"), N_("Result"), N_("Changed"), N_("When")],
    counted=NN_("%(num)s request", "%(num)s requests"),
    empty=Empty(
        N_("No requests yet"),
        N_("The provider's requests appear here."),
        "activity",
        actions=[Action(N_("Back to SCIM"), ADDRESS, "")],
    ),
)


@routes.get("/scim/requests", access=MANAGE)
async def list_requests(tx: Tx, view: PanelView, query: request_log.RequestQuery) -> Html:
    """List the latest requests, newest first."""
    return await lists.show(tx, view, REQUESTS_TABLE, query)


@routes.get("/scim/limit", access=MANAGE)
async def ask_limit(tx: Tx, view: PanelView, limit: ServerLimit, refusal: Refusal | None = None) -> Html:
    """Show how many requests the provider may send."""
    begins = {"requests": await queries.find_limit(tx)}
    return view.form("panel/scim/limit.html", refusal, begins, limit=limit.limit)


@routes.post("/scim/limit", access=MANAGE, refused=ask_limit)
async def change_limit(tx: Tx, view: PanelView, form: NewLimit) -> Answer:
    """Set or reset the limit."""
    await actions.set_limit(tx, form.requests)
    return view.lead(ADDRESS, N_("The limit was saved."))


@routes.get("/scim/tokens/new", access=MANAGE)
async def new_token(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask which provider the token is for."""
    return view.form("panel/scim/new.html", refusal, sentences=SENTENCES)


@routes.post("/scim/tokens/new", access=MANAGE, refused=new_token)
async def create_token(tx: Tx, view: PanelView, form: NewToken) -> Answer:
    """Create the token and redirect to it."""
    lifetime = lifetime_until(tx, view, form.expires_on)
    issued = await actions.create(tx, form.name, networks=form.networks, lifetime=lifetime)
    return TOKENS.lead(tx, view, issued.scim_token.id, issued.token)


@routes.get("/scim/{token_id}", access=MANAGE)
async def show_token(tx: Tx, view: PanelView, token_id: UUID) -> Html:
    """Show a token: its networks and last use."""
    token = await TOKENS.find(tx, view, token_id)
    return await TOKENS.show(tx, view, token, state_of(token, tx.now), "panel/scim/token.html")


@routes.get("/scim/{token_id}/secret", access=MANAGE)
async def show_token_secret(tx: Tx, view: PanelView, token_id: UUID, base: BaseAddress) -> Html:
    """Show the new token."""
    template = "panel/scim/secret.html"
    return await TOKENS.show_secret(tx, view, token_id, template, address=base, guides=GUIDES)


async def _rotate(tx: Tx, token_id: UUID, form: Rotation) -> str:
    return (await actions.rotate(tx, token_id, form.duration)).token


TOKENS.ask_to_rotate(_rotate)
TOKENS.ask(
    "revoke",
    actions.revoke,
    N_("Revoke %(name)s"),
    [
        N_("All requests with this token will be refused. This cannot be undone."),
        N_("Last used: %(last_used_at)s"),
    ],
    N_("Revoke token"),
    N_("The token %(name)s was revoked."),
    gone=True,
    too_late=TOKENS.too_late,
)
