"""Creates the secret address of a feed."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.calendar_feeds import queries, rules


async def create(tx: Tx, user_id: UUID) -> str:
    """Returns the token of the person's new feed. An earlier address stops working."""
    token = rules.generate_token()
    await queries.save(tx, user_id, rules.compute_digest(token))
    return token
