"""/admin/events"""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta, Struct, json, to_builtins

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.moments import Day
from trilha.core.types import STORABLE, enc_hook
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Routes
from trilha.events import queries
from trilha.events.schema import EventEnvelope, EventSearch, EventTypeFilter, parse_event_name
from trilha.panel import lists
from trilha.panel.integration import days, event_types
from trilha.panel.view import HOME, PanelView
from trilha.panel.webhooks.deliveries import STATUSES
from trilha.sessions.permissions import Permission, may
from trilha.webhooks import history as webhooks

routes = Routes("Events", "What happened in the tenant.")
ADDRESS = f"{HOME}/events"
READ = may(Permission.EVENTS_READ)


class Search(Struct, frozen=True, forbid_unknown_fields=True):
    """`q` is the id of an event; `since` and `until` are days, both included."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    type: EventTypeFilter | None = None
    since: Day | None = None
    until: Day | None = None
    cursor: str | None = None


@routes.get("/events", access=READ)
async def list_events(tx: Tx, view: PanelView, query: Search) -> Answer:
    """The events of the last 30 days, newest first. An id leads to its event."""
    if query.q and (event_id := parse_event_name(query.q.strip())) and await queries.find(tx, event_id):
        return view.lead(f"{ADDRESS}/{query.q.strip()}")
    zone = view.page.time_zone
    wanted = EventSearch(
        type=query.type,
        since=query.since.begin(zone) if query.since else None,
        until=query.until.end(zone) if query.until else None,
        cursor=query.cursor,
    )
    page = None if query.q else await queries.list_page(tx, wanted)
    return view.show(
        lists.part(view, "panel/events", query.cursor),
        events=page.data if page else [],
        types=event_types,
        at=_at,
        query=query,
        has_more=bool(page and page.has_more),
        active=lists.chips(ADDRESS, query, _words(view, query)),
        following=lists.following(ADDRESS, query, page.next_cursor if page else None),
    )


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


def _at(event: EventEnvelope) -> datetime:
    return datetime.fromtimestamp(event.created, UTC)


def _words(view: PanelView, query: Search) -> dict[str, str]:
    """What each filter in use is called."""
    return {
        "q": query.q or "",
        "type": view.say(event_types.label(query.type)) if query.type else "",
        **days.words_of(view, query.since, query.until),
    }
