"""The routes /v1/events and /v1/webhooks/event-types."""

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.openapi.json_schema import flat_schema
from trilha.core.openapi.webhooks import WebhookRoutes, WebhookType
from trilha.core.web.pagination import ListQuery, Page, page_of
from trilha.platform.events import queries
from trilha.platform.events.catalogue import CATALOGUE
from trilha.platform.events.schema import EventDescription, EventEnvelope, EventQuery

routes = WebhookRoutes(
    "Events",
    "What happened in the tenant.",
    EventEnvelope,
    [WebhookType(each.type, each.description(), each) for each in CATALOGUE.values()],
)
_TYPES = [EventDescription(each.type, each.description(), flat_schema(each)) for each in CATALOGUE.values()]


@routes.get("/events", scope=Scope.WEBHOOKS_READ, errors=["unknown_event"])
async def list_events(tx: Tx, query: EventQuery) -> Page[EventEnvelope]:
    """List the events of the last 30 days, newest first. With `after`, list the events that followed it,
    oldest first.
    """
    return await queries.list_page(tx, query)


@routes.get("/webhooks/event-types", scope=Scope.WEBHOOKS_READ)
async def list_event_types(tx: Tx, query: ListQuery) -> Page[EventDescription]:
    """List all event types, with the JSON Schema of their data."""
    return page_of(tx, _TYPES, query, route="event-types")
