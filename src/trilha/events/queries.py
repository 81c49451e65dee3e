"""Reads of the feed."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.lists import fetch_page, find_rows
from trilha.core.web.pagination import Page
from trilha.events import errors as errors
from trilha.events.lists import EVENTS
from trilha.events.schema import EventEnvelope, EventQuery, EventRow, envelope


async def list_page(tx: Tx, query: EventQuery) -> Page[EventEnvelope]:
    """Raises Invalid (invalid_cursor, unknown_event)."""
    page = await fetch_page(tx, EVENTS, query)
    return Page(await list_envelopes(tx, page.data), page.next_cursor, page.has_more, page.limit)


async def list_envelopes(tx: Tx, rows: Sequence[EventRow]) -> list[EventEnvelope]:
    return [envelope(row.id, row.type, row.created_at, tx.tenant_id, row.data) for row in rows]


async def find(tx: Tx, event_id: UUID) -> EventEnvelope | None:
    """Returns None where there is no such event, or it is older than what the feed shows."""
    envelopes = await list_envelopes(tx, await find_rows(tx, EVENTS, [event_id]))
    return envelopes[0] if envelopes else None
