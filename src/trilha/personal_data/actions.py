"""What is done to all that is kept of a person."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from trilha.core.database import Tx
from trilha.events import scrubbing as events
from trilha.mail import scrubbing as mail
from trilha.sessions import queries as sessions
from trilha.users import actions as users
from trilha.webhooks import scrubbing as webhooks

# In the transaction of the erasure, in this order; the user's own row comes last, with its event. What is
# erased already is left as it is.
ERASURES: tuple[Callable[[Tx, UUID], Awaitable[None]], ...] = (
    webhooks.scrub_answers,
    events.scrub,
    mail.delete_of_user,
    sessions.delete_all_of_user,
    users.erase,
)


async def erase(tx: Tx, user_id: UUID) -> None:
    """Nothing is left that tells who the user was; what was learnt stays, of nobody.

    Raises NotFound, Conflict (last_admin). A second time changes nothing.
    """
    await users.keep_an_admin(tx, user_id)
    for each in ERASURES:
        await each(tx, user_id)
