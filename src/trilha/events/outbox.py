"""Writing events into the running transaction: they are there if, and only if, it commits."""

from trilha.core.db import Tx
from trilha.events.catalogue import Event


async def emit(tx: Tx, *events: Event) -> None:
    """One statement, however many events. Emitting none does nothing."""
    if not events:
        return
    await tx.execute(
        """
        INSERT INTO events (tenant_id, id, type, data, created_at)
        SELECT :tenant, gen_random_uuid(), event ->> 0, event -> 1, :now
        FROM jsonb_array_elements(:events) AS event
        """,
        events=[(event.type, event) for event in events],
    )
