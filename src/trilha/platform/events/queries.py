"""Reads the event feed."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.lists import fetch_page, find_rows
from trilha.core.web.pagination import Page
from trilha.platform.events import errors as errors
from trilha.platform.events.lists import EVENTS
from trilha.platform.events.schema import EventEnvelope, EventQuery, EventRow, envelope


async def list_page(tx: Tx, query: EventQuery) -> Page[EventEnvelope]:
    """Lists a page of events. Raises Invalid (invalid_cursor, unknown_event)."""
    page = await fetch_page(tx, EVENTS, query)
    return Page(await list_envelopes(tx, page.data), page.next_cursor, page.has_more, page.limit)


async def list_envelopes(tx: Tx, rows: Sequence[EventRow]) -> list[EventEnvelope]:
    return [envelope(row.id, row.type, row.created_at, tx.tenant_id, row.data) for row in rows]


async def find(tx: Tx, event_id: UUID) -> EventEnvelope | None:
    """Returns an event, or None if it does not exist or is too old for the feed."""
    envelopes = await list_envelopes(tx, await find_rows(tx, EVENTS, [event_id]))
    return envelopes[0] if envelopes else None
