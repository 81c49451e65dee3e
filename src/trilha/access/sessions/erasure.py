"""Deletes how an erased person signs in."""

from uuid import UUID

from trilha.access.sessions import queries
from trilha.core.database import Tx


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Deletes sessions, recovery codes and everything else with which the person could sign in."""
    await queries.delete_all_of_user(tx, user_id)
