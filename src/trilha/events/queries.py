"""The SQL of the feed."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.types import Timestamp
from trilha.core.web.pagination import Order, Page, fetch_page
from trilha.events import errors as errors
from trilha.events.schema import (
    EventEnvelope,
    EventQuery,
    EventRow,
    EventSearch,
    envelope,
    parse_event_name,
)

SHOWN = timedelta(days=30)
# How far the sequence of an event may be ahead of its time: that of the longest transaction, and more.
_AHEAD = timedelta(days=1)
_SELECT = """
    SELECT id, type, created_at, sequence, sequence AS position, data FROM events WHERE tenant_id = :tenant
"""
_FORWARD = """
    SELECT id, type, created_at, sequence, position, data FROM events
    WHERE tenant_id = :tenant AND position IS NOT NULL
"""
_BEFORE_ALL = UUID(int=0)
# The sequence that everything created at or after :since is beyond.
BEGINNING = "(extract(epoch FROM CAST(:since AS timestamptz)) * 1000000)::bigint"


def _after(until: Timestamp) -> Timestamp:
    """A day later, or the last moment there is."""
    try:
        return Timestamp.of(until.moment() + _AHEAD)
    except OverflowError:
        return until


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
        params |= {"until": query.until, "beyond": _after(query.until)}
    select, order = _SELECT, Order("sequence", "DESC")
    if query.after is not None:
        select, order = _FORWARD, Order("position", "ASC")
        beyond = await _place(tx, query.after, params["since"])
        if beyond is None:
            return Page([], None, False, query.limit)
        # Every position is beyond the event's time; there is no order by sequence to end.
        where[0] = "(position, id) > (:place, :place_id)"
        params |= {"place": beyond.position, "place_id": beyond.id}
    page = await fetch_page(
        tx,
        EventRow,
        select,
        query,
        route="events by sequence",
        where=where,
        order=order,
        **params,
    )
    shown = [envelope(row.id, row.type, row.created_at, tx.tenant_id, row.data) for row in page.data]
    return Page(shown, page.next_cursor, page.has_more, page.limit)


class _Place(Struct, frozen=True):
    """Where the forward feed is read on."""

    position: int
    id: UUID


async def _place(tx: Tx, after: str, since: Timestamp) -> _Place | None:
    """None while the event has no place in the feed yet: then none that comes after it has.

    Raises Invalid (unknown_event).
    """
    event_id = parse_event_name(after)
    if event_id == _BEFORE_ALL:
        return _Place(-1, _BEFORE_ALL)
    row = await tx.rows(
        """
        SELECT relayed, COALESCE(position, sequence) AS position FROM events
        WHERE tenant_id = :tenant AND id = :event_id
        """,
        event_id=event_id,
    )
    if not row:
        raise invalid("after", "unknown_event")
    return _Place(row[0]["position"], event_id) if event_id and row[0]["relayed"] else None


async def find(tx: Tx, event_id: UUID) -> EventEnvelope | None:
    """None where there is no such event, and where it is no longer shown."""
    row = await tx.find(
        EventRow,
        """
        SELECT id, type, created_at, sequence, sequence AS position, data FROM events
        WHERE tenant_id = :tenant AND id = :event_id AND created_at >= :oldest
        """,
        event_id=event_id,
        oldest=Timestamp.of(tx.now - SHOWN),
    )
    if row is None:
        return None
    return envelope(row.id, row.type, row.created_at, tx.tenant_id, row.data)
