"""Removes personal data from the delivery history when a person is erased."""

from uuid import UUID

from trilha.core.database import Tx


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Deletes the stored responses to the user's events, because they may contain the person's data."""
    await tx.execute(
        """
        UPDATE webhook_deliveries AS delivery
        SET attempt_log = (SELECT jsonb_agg(attempt || '{"response_body": null}' ORDER BY number)
                           FROM jsonb_array_elements(delivery.attempt_log)
                                WITH ORDINALITY AS each (attempt, number))
        FROM events AS event
        WHERE event.tenant_id = :tenant AND event.data ->> 'user_id' = :user_id
          AND delivery.tenant_id = :tenant AND delivery.event_id = event.id
          AND jsonb_array_length(delivery.attempt_log) > 0
        """,
        user_id=str(user_id),
    )
