"""Removes an erased person from their certificates."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.certificates import queries


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Removes a person's name from their certificates, which can still be verified."""
    await queries.forget(tx, user_id)
