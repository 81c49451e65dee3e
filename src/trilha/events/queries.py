"""The SQL of the feed."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.core.web.pagination import Order, Page, fetch_page
from trilha.events.schema import EventEnvelope, EventQuery, EventRow, EventSearch, envelope

SHOWN = timedelta(days=30)
# How far the sequence of an event may be ahead of its time: that of the longest transaction, and more.
_AHEAD = timedelta(days=1)
# The sequence that everything created at or after :since is beyond.
BEGINNING = "(extract(epoch FROM CAST(:since AS timestamptz)) * 1000000)::bigint"


async def list_page(tx: Tx, query: EventQuery) -> Page[EventEnvelope]:
    """The page is walked by the rows' own keys; the envelope shows neither."""
    oldest = Timestamp.of(tx.now - SHOWN)
    # A sequence is beyond its event's time: the first condition ends the walk where the second holds no more.
    where = [f"sequence > {BEGINNING}", "created_at >= :since"]
    params = dict[str, Any](since=max(query.since or oldest, oldest))
    if query.type:
        where.append("type = :type")
        params["type"] = query.type
    if isinstance(query, EventSearch) and query.until:
        where += ["created_at < :until", f"sequence < {BEGINNING.replace(':since', ':beyond')}"]
        params |= {"until": query.until, "beyond": Timestamp.of(query.until.moment() + _AHEAD)}
    page = await fetch_page(
        tx,
        EventRow,
        "SELECT id, type, created_at, sequence, data FROM events WHERE tenant_id = :tenant",
        query,
        route="events by sequence",
        where=where,
        order=Order("sequence", "DESC"),
        **params,
    )
    shown = [envelope(row.id, row.type, row.created_at, tx.tenant_id, row.data) for row in page.data]
    return Page(shown, page.next_cursor, page.has_more, page.limit)


async def find(tx: Tx, event_id: UUID) -> EventEnvelope | None:
    """None where there is no such event, and where it is no longer shown."""
    row = await tx.find(
        EventRow,
        """
        SELECT id, type, created_at, sequence, data FROM events
        WHERE tenant_id = :tenant AND id = :event_id AND created_at >= :oldest
        """,
        event_id=event_id,
        oldest=Timestamp.of(tx.now - SHOWN),
    )
    if row is None:
        return None
    return envelope(row.id, row.type, row.created_at, tx.tenant_id, row.data)
