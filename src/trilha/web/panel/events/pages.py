"""/admin/events: the list, and one event with its deliveries."""

from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import Meta, json, to_builtins

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import Count
from trilha.core.moments import Day
from trilha.core.types import STORABLE, enc_hook
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery, Page
from trilha.core.web.routes import Routes
from trilha.kit import N_, NN_
from trilha.platform.events import queries
from trilha.platform.events.lists import EVENTS
from trilha.platform.events.schema import EventEnvelope, EventSearch, EventTypeFilter, parse_event_name
from trilha.platform.webhooks import history as webhooks
from trilha.web.panel import lists
from trilha.web.panel.integration import event_types
from trilha.web.panel.lists import SINCE, UNTIL, Action, Choice, Empty, Table
from trilha.web.panel.view import HOME, PanelView
from trilha.web.panel.webhooks.deliveries import STATUSES

routes = Routes("Events", "What happened in the tenant.")
ADDRESS = f"{HOME}/events"
READ = may(Permission.EVENTS_READ)


class Search(ListQuery, frozen=True, kw_only=True):
    """`q` is an event's id; `since` and `until` are days, both included."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    type: EventTypeFilter | None = None
    since: Day | None = None
    until: Day | None = None


def _moment_of(event: EventEnvelope) -> datetime:
    return datetime.fromtimestamp(event.created, UTC)


EVENTS_TABLE = Table(
    listing=EVENTS,
    load=queries.list_envelopes,
    path=ADDRESS,
    title=N_("Events"),
    lead=N_("Events of the last 30 days, as other systems receive them through webhooks and the API."),
    search=N_("Search by event ID"),
    choices=[
        Choice(
            name="type",
            label=N_("Any event type"),
            options={
                name: event_types.label(name)
                for _, _, names in event_types.list_groups()
                for name in names
                if event_types.is_emitted(name)
            },
        )
    ],
    days=[SINCE, UNTIL],
    row="panel/events/_row.html",
    values={"types": event_types, "at": _moment_of},
    columns=[N_("Event"), N_("Type"), N_("ID"), N_("Date and time")],
    counted=NN_("%(num)s event", "%(num)s events"),
    empty=Empty(
        N_("No events in the last 30 days"),
        N_("Events appear here when people are added, changed or enrolled."),
        "activity",
        actions=[Action(N_("Go to people"), f"{HOME}/people", "")],
    ),
)


@routes.get("/events", access=READ)
async def list_events(tx: Tx, view: PanelView, query: Search) -> Answer:
    """Lists the events of the last 30 days, newest first. Redirects to the event if `q` is its id."""
    if query.q and (event_id := parse_event_name(query.q.strip())) and await queries.find(tx, event_id):
        return view.lead(f"{ADDRESS}/{query.q.strip()}")
    none = lists.Results(Page[Any]([], None, False, query.limit), Count(0)) if query.q else None
    list_query = EventSearch(type=query.type, **lists.moments(view, query))
    return await lists.show(tx, view, EVENTS_TABLE, query, list_query=list_query, results=none)


@routes.get("/events/{name}", access=READ)
async def show_event(tx: Tx, view: PanelView, name: str) -> Html:
    """Shows one event as JSON, and its deliveries if the viewer manages webhooks."""
    event_id = parse_event_name(name)
    event = await queries.find(tx, event_id) if event_id else None
    if event is None or event_id is None:
        raise NotFound("route_not_found")
    sees_webhooks = view.may(Permission.WEBHOOKS_MANAGE)
    text = json.format(json.encode(to_builtins(event, enc_hook=enc_hook)), indent=2).decode()
    return view.show(
        "panel/events/show.html",
        event=event,
        text=text,
        types=event_types,
        at=_moment_of,
        statuses=STATUSES,
        sees_webhooks=sees_webhooks,
        deliveries=await webhooks.list_event_deliveries(tx, event_id) if sees_webhooks else [],
    )
