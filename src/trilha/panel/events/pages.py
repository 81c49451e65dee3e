"""/admin/events"""

from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import Meta, json, to_builtins

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import Count
from trilha.core.moments import Day
from trilha.core.types import STORABLE, enc_hook
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery, Page
from trilha.core.web.routes import Routes
from trilha.events import queries
from trilha.events.lists import EVENTS
from trilha.events.schema import EventEnvelope, EventSearch, EventTypeFilter, parse_event_name
from trilha.pages import N_, NN_
from trilha.panel import lists
from trilha.panel.integration import event_types
from trilha.panel.lists import SINCE, UNTIL, Action, Choice, Empty, Table
from trilha.panel.view import HOME, PanelView
from trilha.panel.webhooks.deliveries import STATUSES
from trilha.sessions.permissions import Permission, may
from trilha.webhooks import history as webhooks

routes = Routes("Events", "What happened in the tenant.")
ADDRESS = f"{HOME}/events"
READ = may(Permission.EVENTS_READ)


class Search(ListQuery, frozen=True, kw_only=True):
    """`q` is the id of an event; `since` and `until` are days, both included."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    type: EventTypeFilter | None = None
    since: Day | None = None
    until: Day | None = None


def _at(event: EventEnvelope) -> datetime:
    return datetime.fromtimestamp(event.created, UTC)


EVENTS_TABLE = Table(
    listing=EVENTS,
    load=queries.list_envelopes,
    path=ADDRESS,
    title=N_("Events"),
    lead=N_("What happened in the last 30 days, as webhooks and the API tell other systems."),
    search=N_("Search by the event's ID"),
    choices=[
        Choice(
            name="type",
            label=N_("Any event"),
            options={
                name: event_types.label(name)
                for _, names in event_types.grouped()
                for name in names
                if event_types.is_emitted(name)
            },
        )
    ],
    days=[SINCE, UNTIL],
    row="panel/events/_row.html",
    values={"types": event_types, "at": _at},
    columns=[N_("Event"), N_("Type"), N_("ID"), N_("When")],
    counted=NN_("%(num)s event", "%(num)s events"),
    empty=Empty(
        N_("Nothing happened in the last 30 days"),
        N_("As soon as somebody is added, enrolled or changed, it is shown here."),
        "activity",
        actions=[Action(N_("Go to people"), f"{HOME}/people", "")],
    ),
)


@routes.get("/events", access=READ)
async def list_events(tx: Tx, view: PanelView, query: Search) -> Answer:
    """The events of the last 30 days, newest first. An id leads to its event."""
    if query.q and (event_id := parse_event_name(query.q.strip())) and await queries.find(tx, event_id):
        return view.lead(f"{ADDRESS}/{query.q.strip()}")
    none = lists.Results(Page[Any]([], None, False, query.limit), Count(0)) if query.q else None
    list_query = EventSearch(type=query.type, **lists.moments(view, query))
    return await lists.show(tx, view, EVENTS_TABLE, query, list_query=list_query, results=none)


@routes.get("/events/{name}", access=READ)
async def show_event(tx: Tx, view: PanelView, name: str) -> Html:
    """One event as it is sent, and where it was sent."""
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
        at=_at,
        statuses=STATUSES,
        sees_webhooks=sees_webhooks,
        deliveries=await webhooks.list_event_deliveries(tx, event_id) if sees_webhooks else [],
    )
