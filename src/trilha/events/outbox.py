"""Writing events into the running transaction: they are there if, and only if, it commits."""

from uuid import uuid4

from trilha.core.db import Tx
from trilha.events.catalogue import Event


async def emit(tx: Tx, *events: Event) -> None:
    """One statement, however many events. Emitting none does nothing."""
    if not events:
        return
    await tx.execute(
        """
        INSERT INTO events (tenant_id, id, type, data, created_at)
        SELECT :tenant, id, type, data, :now
        FROM unnest(:ids::uuid[], :types::text[], :data::jsonb[]) AS t (id, type, data)
        """,
        ids=[uuid4() for _ in events],
        types=[event.type for event in events],
        data=list(events),
    )
