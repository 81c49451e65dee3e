"""What is done to all that is kept of a person."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from trilha.certificates import actions as certificates
from trilha.core.database import Tx
from trilha.events import scrubbing as events
from trilha.learning import scrubbing
from trilha.learning_groups import scrubbing as learning_groups
from trilha.mail import scrubbing as mail
from trilha.people_import import scrubbing as people_import
from trilha.reports import mails as report_mails
from trilha.reports.exports import actions as exports
from trilha.scim import scrubbing as scim
from trilha.sessions import queries as sessions
from trilha.sso import queries as sso
from trilha.users import actions as users
from trilha.users import queries
from trilha.webhooks import scrubbing as webhooks

# In the transaction of the erasure, in this order; the user's own row comes last, with its event. What is
# erased already is left as it is.
ERASURES: tuple[Callable[[Tx, UUID], Awaitable[None]], ...] = (
    webhooks.scrub_answers,
    events.scrub,
    mail.delete_of_user,
    people_import.scrub,
    learning_groups.leave_all,
    scim.forget,
    sso.forget_person,
    scrubbing.scrub,
    certificates.forget,
    exports.withdraw,
    report_mails.forget,
    sessions.delete_all_of_user,
    users.erase,
)


async def erase(tx: Tx, user_id: UUID) -> None:
    """Nothing is left that tells who the user was; what was learnt stays, of nobody.

    Raises NotFound. A second time changes nothing.
    """
    # Locked first: whoever signs in meanwhile finds nobody afterwards, and leaves no session behind.
    await queries.get_for_update(tx, user_id)
    for each in ERASURES:
        await each(tx, user_id)
