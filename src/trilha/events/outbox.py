"""Writing events into the running transaction: they are there if, and only if, it commits."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.events.catalogue import Event

# Every event committed by now comes before. So does each about a row that this transaction has changed: what
# was changed before it was committed before the row could be locked.
_LAST = """
    SELECT GREATEST((extract(epoch FROM CAST(:now AS timestamptz(3))) * 1000000)::bigint,
                    (SELECT sequence FROM events WHERE tenant_id = :tenant ORDER BY sequence DESC LIMIT 1))
           AS sequence
"""


async def emit(tx: Tx, *events: Event) -> None:
    """One statement, however many events. Emitting none does nothing.

    The rows that the events are about are changed before, so that their order is that of the changes.
    """
    if not events:
        return
    await tx.execute(
        f"""
        INSERT INTO events (tenant_id, id, type, data, created_at, sequence)
        SELECT :tenant, gen_random_uuid(), event.type, event.data::jsonb, :now, last.sequence + event.number
        FROM ({_LAST}) AS last,
             unnest(:types::text[], :data::text[]) WITH ORDINALITY AS event (type, data, number)
        """,  # noqa: S608
        types=[event.type for event in events],
        data=[to_json(event).decode() for event in events],
    )


async def emit_relayed(tx: Tx, event: Event) -> UUID:
    """An event whose deliveries the caller makes; its id."""
    event_id: UUID = await tx.value(
        f"""
        INSERT INTO events (tenant_id, id, type, data, created_at, sequence, relayed)
        SELECT :tenant, gen_random_uuid(), :type, :data, :now, last.sequence + 1, true FROM ({_LAST}) AS last
        RETURNING id
        """,  # noqa: S608
        type=event.type,
        data=event,
    )
    return event_id
