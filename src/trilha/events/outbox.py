"""Writing events into the running transaction: they are there if, and only if, it commits."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.events.catalogue import Event


async def emit(tx: Tx, *events: Event) -> None:
    """One statement, however many events. Emitting none does nothing."""
    if not events:
        return
    await tx.execute(
        """
        INSERT INTO events (tenant_id, id, type, data, created_at)
        SELECT :tenant, gen_random_uuid(), event.type, event.data::jsonb, :now
        FROM unnest(:types::text[], :data::text[]) AS event (type, data)
        """,
        types=[event.type for event in events],
        data=[to_json(event).decode() for event in events],
    )


async def emit_relayed(tx: Tx, event: Event) -> UUID:
    """An event whose deliveries the caller makes; its id."""
    event_id: UUID = await tx.value(
        """
        INSERT INTO events (tenant_id, id, type, data, created_at, relayed)
        VALUES (:tenant, gen_random_uuid(), :type, :data, :now, true) RETURNING id
        """,
        type=event.type,
        data=event,
    )
    return event_id
