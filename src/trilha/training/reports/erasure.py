"""Removes an erased person from exports and from the reports sent by e-mail."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.reports import mails
from trilha.training.reports.exports import queries


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Withdraws every export, because any of them may name the person, and stops their reports by e-mail."""
    await queries.withdraw(tx)
    await mails.stop(tx, user_id)
