"""The person whom a page would change."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.users import queries, selection
from trilha.users.reach import Reach
from trilha.users.schema import User


async def get_changeable(tx: Tx, user_id: UUID, reach: Reach) -> User:
    """Raises NotFound, also for who is out of reach, and Conflict (user_erased)."""
    user = await selection.get_within(tx, user_id, reach)
    if await queries.is_erased(tx, user_id):
        raise Conflict("user_erased")
    return user
