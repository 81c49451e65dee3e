"""Removes personal data from stored events when a person is erased."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.platform.events.catalogue import CATALOGUE


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Overwrites the `personal` members of the user's events, including events that are not sent yet."""
    personal = [each for each in CATALOGUE.values() if each.personal]
    await tx.execute(
        """
        UPDATE events AS event SET data = event.data || type.scrubbed::jsonb
        FROM unnest(:types::text[], :scrubbed::text[]) AS type (name, scrubbed)
        WHERE event.tenant_id = :tenant AND event.type = type.name
          AND event.data ->> 'user_id' = :user_id
        """,
        types=[each.type for each in personal],
        scrubbed=[to_json(dict(each.personal)).decode() for each in personal],
        user_id=str(user_id),
    )
