"""/admin/webhooks: the endpoints."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from operator import attrgetter
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import Problem, problem
from trilha.core.outbound.guard import Guard
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.platform.events.schema import EventType, types_of
from trilha.platform.webhooks import actions, queries
from trilha.platform.webhooks import lists as endpoint_lists
from trilha.platform.webhooks.schema import (
    Description,
    Endpoint,
    EndpointPatch,
    EndpointQuery,
    NewEndpoint,
    Url,
)
from trilha.web.panel import lists
from trilha.web.panel.confirm import Button
from trilha.web.panel.integration import event_types
from trilha.web.panel.lists import ACTIONS, Action, Choice, Empty, Table
from trilha.web.panel.secrets.pages import Owner
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Webhooks", "Where events are sent, and what came of it.")
ADDRESS = f"{HOME}/webhooks"
MANAGE = may(Permission.WEBHOOKS_MANAGE)
STATES = {"active": N_("On"), "failing": N_("Failing"), "inactive": N_("Off")}
SENTENCES = {
    "required": N_("Fill in this field."),
    "invalid_url": N_("Enter an address that begins with https://."),
    "https_required": N_("Enter an address that begins with https://."),
    "port_not_allowed": N_("Use port 443 or 8443, or leave the port out."),
    "address_not_allowed": N_("Use an address on the public internet: this one is inside a network."),
    "too_many_webhooks": N_("You have reached the maximum number of webhooks. Delete one that is not used."),
}


def state_of(endpoint: Endpoint) -> str:
    if not endpoint.active:
        return "inactive"
    return "failing" if endpoint.failure_count else "active"


ENDPOINTS_TABLE = Table(
    listing=endpoint_lists.ENDPOINTS,
    path=ADDRESS,
    title=N_("Webhooks"),
    lead=N_("Notify other systems immediately. Each event is sent to the webhooks that selected it."),
    search=N_("Search by address or description"),
    choices=[Choice(name="state", label=N_("Any status"), options=STATES)],
    row="panel/webhooks/_row.html",
    values={"state_of": state_of, "states": STATES},
    columns=[N_("Address"), N_("Status"), N_("Events"), N_("Created at"), ACTIONS],
    counted=NN_("%(num)s webhook", "%(num)s webhooks"),
    actions=[Action(N_("Add webhook"), f"{ADDRESS}/new", "plus", primary=True)],
    empty=Empty(
        N_("No webhooks yet"),
        N_(
            "Add the address of a system that needs to know at once when somebody is added, enrolled or "
            "finishes a course."
        ),
        "webhook",
    ),
)


class EndpointForm(Struct, frozen=True):
    """The form of an endpoint. `groups` add all their types to `events`."""

    url: Url
    events: Annotated[list[EventType], Meta(max_length=100)] = []
    groups: Annotated[list[Literal[tuple(event_types.GROUPS)]], Meta(max_length=100)] = []  # type: ignore[valid-type]
    description: Description | None = None

    def list_types(self) -> Sequence[EventType]:
        """Returns the chosen types, with those that the catalog no longer has."""
        types = event_types.expand(self.events, self.groups)
        return [EventType(name) for name in dict.fromkeys([*types, *self.events])]

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if not values.get("events") and not values.get("groups"):
            yield problem("events", "invalid_value")


ENDPOINTS = Owner(
    routes=routes,
    path="/webhooks/{webhook_id}",
    access=MANAGE,
    get=lambda tx, view, webhook_id: queries.get(tx, webhook_id),
    name=attrgetter("url"),
    table=queries.SECRETS,
)


@routes.get("/webhooks", access=MANAGE)
async def list_webhooks(tx: Tx, view: PanelView, query: EndpointQuery) -> Html:
    """List the endpoints, newest first."""
    return await lists.show(tx, view, ENDPOINTS_TABLE, query)


@routes.get("/webhooks/new", access=MANAGE)
async def new_webhook(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask for the address and the event types."""
    return view.form("panel/webhooks/form.html", refusal, {}, SENTENCES, endpoint=None, types=event_types)


@routes.post("/webhooks/new", access=MANAGE, refused=new_webhook)
async def create_webhook(
    tx: Tx, view: PanelView, form: EndpointForm, guard: Guard, limit: actions.EndpointLimit
) -> Answer:
    """Create the endpoint and redirect to its secret."""
    new = NewEndpoint(url=form.url, events=list(form.list_types()), description=form.description)
    issued = await actions.create(tx, new, guard, limit)
    return ENDPOINTS.lead(tx, view, issued.id, issued.secret)


@routes.get("/webhooks/{webhook_id}/secret", access=MANAGE)
async def show_secret(tx: Tx, view: PanelView, webhook_id: UUID) -> Html:
    """Show the new secret."""
    return await ENDPOINTS.show_secret(tx, view, webhook_id, "panel/webhooks/secret.html")


@routes.get("/webhooks/{webhook_id}/edit", access=MANAGE)
async def edit_webhook(tx: Tx, view: PanelView, webhook_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show the form with the present values."""
    endpoint = await queries.get(tx, webhook_id)
    # Types are chosen one by one, so a group is shown, and saved, as its types.
    events = types_of(endpoint.events)
    begins = {"url": endpoint.url, "events": events, "description": endpoint.description}
    return view.form(
        "panel/webhooks/form.html", refusal, begins, SENTENCES, endpoint=endpoint, types=event_types
    )


@routes.post("/webhooks/{webhook_id}/edit", access=MANAGE, refused=edit_webhook)
async def update_webhook(
    tx: Tx, view: PanelView, webhook_id: UUID, form: EndpointForm, guard: Guard
) -> Answer:
    """Save the endpoint."""
    patch = EndpointPatch(url=form.url, events=list(form.list_types()), description=form.description)
    await actions.update(tx, webhook_id, patch, guard)
    return view.lead(f"{ADDRESS}/{webhook_id}", N_("The webhook was saved."))


@routes.post("/webhooks/{webhook_id}/activate", access=MANAGE)
async def activate_webhook(tx: Tx, view: PanelView, webhook_id: UUID, form: Button, guard: Guard) -> Answer:
    """Enable the endpoint again."""
    await actions.update(tx, webhook_id, EndpointPatch(active=True), guard)
    return view.lead(f"{ADDRESS}/{webhook_id}", N_("The webhook was activated."))


async def _deactivate(tx: Tx, webhook_id: UUID, guard: Guard) -> None:
    await actions.update(tx, webhook_id, EndpointPatch(active=False), guard)


ENDPOINTS.ask(
    "deactivate",
    _deactivate,
    N_("Deactivate the webhook"),
    [
        N_("Nothing more is sent to %(name)s."),
        N_("Deliveries wait for 7 days, and are sent if you activate it again."),
    ],
    N_("Deactivate webhook"),
    N_("The webhook was deactivated."),
    needs=Guard,
)
ENDPOINTS.ask(
    "delete",
    actions.delete,
    N_("Delete the webhook"),
    N_("Nothing more is sent to %(name)s, and its delivery history is deleted. This cannot be undone."),
    N_("Delete webhook"),
    N_("The webhook was deleted."),
    gone=True,
)
ENDPOINTS.ask(
    "rotate",
    actions.rotate_secret,
    N_("Rotate the signing secret"),
    [
        N_("You get a new secret for %(name)s, which is shown once."),
        N_("For one more day, deliveries are signed with the current one as well."),
    ],
    N_("Rotate secret"),
    kind="primary",
    then=lambda tx, view, endpoint, issued: ENDPOINTS.lead(tx, view, endpoint.id, issued.secret),
)
