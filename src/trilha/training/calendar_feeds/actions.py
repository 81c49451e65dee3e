"""Creates the secret addresses of feeds."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.training.calendar_feeds import queries, rules
from trilha.training.calendar_feeds.schema import FeedKind


async def create(tx: Tx, user_id: UUID, kind: FeedKind = "own") -> str:
    """Returns the token of the person's new feed. An earlier address of this kind stops working."""
    token = rules.generate_token()
    await queries.save(tx, user_id, rules.compute_digest(token), kind)
    return token
