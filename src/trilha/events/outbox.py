"""Writing events into the running transaction: they are there if, and only if, it commits."""

from trilha.core.db import Tx
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
