"""Writing events into the running transaction: they are there if, and only if, it commits."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from trilha.audit import queries as audit
from trilha.audit.schema import NewRecord
from trilha.core.database import Tx
from trilha.core.ids import random_ids
from trilha.events.catalogue import Event

# Every event committed by now comes before. So does each about a row that this transaction has changed: what
# was changed before it was committed before the row could be locked.
_LAST = """
    SELECT GREATEST((extract(epoch FROM CAST(:now AS timestamptz(3))) * 1000000)::bigint,
                    (SELECT sequence FROM events WHERE tenant_id = :tenant ORDER BY sequence DESC LIMIT 1))
           AS sequence
"""
_INSERT_MANY = f"""
    INSERT INTO events (tenant_id, id, type, data, created_at, sequence)
    SELECT :tenant, event.id, event.type, event.data, :now, last.sequence + event.number
    FROM ({_LAST}) AS last,
         ROWS FROM (unnest(:ids::uuid[], :types::text[]), jsonb_array_elements(:data::jsonb))
             WITH ORDINALITY AS event (id, type, data, number)
"""  # noqa: S608
# Most calls emit one: without the arrays that many take.
_INSERT_ONE = f"""
    INSERT INTO events (tenant_id, id, type, data, created_at, sequence, relayed)
    SELECT :tenant, :id, :type, :data, :now, last.sequence + 1, :relayed FROM ({_LAST}) AS last
"""  # noqa: S608


async def emit(tx: Tx, *events: Event, record: NewRecord | None = None) -> None:
    """One statement, however many events, with an audit record of each. Emitting none does nothing.

    The rows that the events are about are changed before, so that their order is that of the changes.
    `record` takes the place of theirs: one for what is done to many at once.
    """
    if len(events) == 1:
        await _emit_one(tx, events[0], record)
    elif events:
        ids = random_ids(len(events))
        types = [event.type for event in events]
        await _write(tx, _INSERT_MANY, _records(events, record), ids=ids, types=types, data=events)


def emitted_by(tx: Tx, event: Event, changed: str) -> tuple[str, dict[str, Any]]:
    """The part of a statement that emits an event, with its record, beside the change, and its parameters.

    `changed` is the part that returns the id of the one row that was changed, and none where nothing was:
    then nothing is emitted. For the hottest changes: it saves a round trip.
    """
    recorded, params = audit.recorded_of(tx, _record(event), changed)
    emitted = f"""
        emitted AS (
            INSERT INTO events (tenant_id, id, type, data, created_at, sequence)
            SELECT :tenant, :event_id, :event_type, :event, :now, next_event_sequence(:tenant, :now, id)
            FROM {changed})
        """  # noqa: S608
    return f"{recorded}, {emitted}", params | {
        "event_id": uuid4(),
        "event_type": event.type,
        "event": event,
    }


async def emit_relayed(tx: Tx, event: Event) -> UUID:
    """An event whose deliveries the caller makes; its id."""
    return await _emit_one(tx, event, None, relayed=True)


async def _emit_one(tx: Tx, event: Event, record: NewRecord | None, *, relayed: bool = False) -> UUID:
    event_id = uuid4()
    records = _records([event], record)
    await _write(tx, _INSERT_ONE, records, id=event_id, type=event.type, data=event, relayed=relayed)
    return event_id


async def _write(tx: Tx, insert: str, records: Sequence[NewRecord], **params: Any) -> None:
    if records:
        recorded, more = audit.recorded(tx, records)
        insert, params = f"WITH {recorded} {insert}", params | more
    await tx.execute(insert, **params)


def _records(events: Sequence[Event], instead: NewRecord | None) -> list[NewRecord]:
    return [instead] if instead else [_record(event) for event in events if event.audited]


def _record(event: Event) -> NewRecord:
    """What an event says of itself: its members, without those that have a column of their own."""
    detail: dict[str, Any] = {name: getattr(event, name) for name in event.__struct_fields__}
    target: UUID = detail.pop(event.target)
    name: str = detail.pop(event.target_name) if event.target_name else ""
    return NewRecord(event.type, target, name, detail)
