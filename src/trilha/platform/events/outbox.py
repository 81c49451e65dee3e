"""Writes events in the running transaction. They exist if and only if it commits."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from trilha.core.database import Tx
from trilha.core.ids import random_ids
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import NewRecord
from trilha.platform.events.catalogue import Event

# Every event committed so far has a lower sequence. So has every event about a row that this transaction
# changed, because the earlier transaction had committed before this one could lock the row.
_LAST = """
    SELECT GREATEST((extract(epoch FROM CAST(:now AS timestamptz(3))) * 1000000)::bigint,
                    (SELECT sequence FROM events WHERE tenant_id = :tenant ORDER BY sequence DESC LIMIT 1))
           AS sequence
"""
_INSERT_MANY = f"""
    INSERT INTO events (tenant_id, id, type, data, created_at, sequence, request_id, traceparent)
    SELECT :tenant, event.id, event.type, event.data, :now, last.sequence + event.number, :request_id,
           :traceparent
    FROM ({_LAST}) AS last,
         ROWS FROM (unnest(:ids::uuid[], :types::text[]), jsonb_array_elements(:data::jsonb))
             WITH ORDINALITY AS event (id, type, data, number)
    RETURNING tenant_id
"""  # noqa: S608
# Most calls emit one event. This statement avoids the arrays for many.
_INSERT_ONE = f"""
    INSERT INTO events (tenant_id, id, type, data, created_at, sequence, relayed, request_id, traceparent)
    SELECT :tenant, :id, :type, :data, :now, last.sequence + 1, :relayed, :request_id, :traceparent
    FROM ({_LAST}) AS last
    RETURNING tenant_id
"""  # noqa: S608


async def emit(tx: Tx, *events: Event, record: NewRecord | None = None) -> None:
    """Emits events with one statement, and adds an audit record for each. Does nothing without events.

    Change the rows that the events are about first, so that events have the order of the changes. If
    `record` is given, it replaces the records of the events: one record for a bulk change.
    """
    if len(events) == 1:
        await _emit_one(tx, events[0], record)
    elif events:
        ids = random_ids(len(events))
        types = [event.type for event in events]
        await _write(tx, _INSERT_MANY, _records(events, record), ids=ids, types=types, data=events)


def build_emit_cte(tx: Tx, event: Event, changed: str) -> tuple[str, dict[str, Any]]:
    """Builds a CTE that emits an event and its audit record, and its parameters.

    `changed` is a CTE that returns the id of the changed row. If it returns none, nothing is emitted. Use
    this for frequent changes: it saves a round trip.
    """
    record_cte, params = audit.build_change_record_cte(tx, _record(event), changed)
    emitted = f"""
        emitted AS (
            INSERT INTO events (tenant_id, id, type, data, created_at, sequence, request_id, traceparent)
            SELECT :tenant, :event_id, :event_type, :event, :now, next_event_sequence(:tenant, :now, id),
                   :request_id, :traceparent
            FROM {changed}
            RETURNING tenant_id)
        """  # noqa: S608
    return f"{record_cte}, {emitted}", params | {
        "event_id": uuid4(),
        "event_type": event.type,
        "event": event,
    }


async def emit_relayed(tx: Tx, event: Event) -> UUID:
    """Emits an event whose deliveries the caller creates, and returns its id."""
    return await _emit_one(tx, event, None, relayed=True)


async def _emit_one(tx: Tx, event: Event, record: NewRecord | None, *, relayed: bool = False) -> UUID:
    event_id = uuid4()
    records = _records([event], record)
    await _write(tx, _INSERT_ONE, records, id=event_id, type=event.type, data=event, relayed=relayed)
    return event_id


async def _write(tx: Tx, insert: str, records: Sequence[NewRecord], **params: Any) -> None:
    if records:
        record_cte, record_params = audit.build_record_cte(tx, records)
        insert, params = f"WITH {record_cte} {insert}", params | record_params
    await tx.execute(insert, **params)


def _records(events: Sequence[Event], instead: NewRecord | None) -> list[NewRecord]:
    return [instead] if instead else [_record(event) for event in events if event.audited]


def _record(event: Event) -> NewRecord:
    """Builds the audit record of an event from its members, without those that have their own column."""
    detail: dict[str, Any] = {name: getattr(event, name) for name in event.__struct_fields__}
    target: UUID = detail.pop(event.target)
    name: str = detail.pop(event.target_name) if event.target_name else ""
    return NewRecord(event.type, target, name, detail)
