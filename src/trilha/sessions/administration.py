"""What administrators do about how other people sign in."""

from uuid import UUID

from trilha.audit import queries as audit
from trilha.core.database import Tx
from trilha.core.passwords import HashedPassword
from trilha.core.types import Timestamp
from trilha.mail import outbox
from trilha.mail.catalogue import SecondFactorOff
from trilha.mail.schema import Recipient
from trilha.sessions import queries
from trilha.users import actions as users


async def set_temporary_password(tx: Tx, user_id: UUID, password: HashedPassword) -> None:
    """Every session of the person ends, and links to set a password work no more.

    Raises NotFound, and Conflict (user_erased).
    """
    await users.set_password(tx, user_id, password)
    await queries.delete_reset(tx, user_id)
    await queries.end_all(tx, user_id)


async def end_sessions(tx: Tx, user_id: UUID) -> int:
    """How many there were."""
    ended = await queries.end_all(tx, user_id)
    await audit.record(tx, "session.ended", user_id, "", sessions=ended)
    return ended


async def remove_second_factor(tx: Tx, user_id: UUID, address: str) -> bool:
    """For somebody who has lost it, who is told by mail. False where there is none."""
    account = await queries.get_account(tx, user_id)
    if not await queries.delete_second_factor(tx, user_id):
        return False
    await audit.record(tx, "user.second_factor_off", user_id, "")
    told = SecondFactorOff(at=Timestamp.of(tx.now), by_administrator=True, link=f"{address}/learn/security")
    to = Recipient(account.email, account.name, account.locale, account.time_zone)
    await outbox.send(tx, to=to, message=told)
    return True
