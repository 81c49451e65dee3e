"""Changes of an account's e-mail address, which receives password links.

A learner's address changes at once. That of an instructor, a manager or an administrator must be confirmed:
by the person, with a link mailed to the old address, by another administrator, or by the operator.
"""

from uuid import UUID

from trilha.access.sessions import email_change_queries as queries
from trilha.access.sessions import queries as sessions
from trilha.access.sessions import unscoped
from trilha.access.sessions.rules import EMAIL_CHANGE_LINK, new_token
from trilha.access.sessions.schema import EmailChange
from trilha.access.sessions.unscoped import EmailChangeTicket
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import BusinessRule, Conflict
from trilha.core.types import Email
from trilha.core.web.request import Request
from trilha.people.users import actions as users
from trilha.people.users import queries as user_queries
from trilha.platform.audit import queries as audit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import EmailChangeRequested


async def change(tx: Tx, user_id: UUID, email: Email, address: str) -> bool:
    """Changes the address, or sends a link to the old one. Returns whether it has changed.

    `address` is the server's own, the base of links in e-mails. Raises NotFound or Conflict (email_exists,
    user_erased).
    """
    user = await user_queries.get_for_update(tx, user_id)
    if user.email == email:
        return True
    if user.role == "learner":
        await users.set_address(tx, user_id, email)
        return True
    if await user_queries.has_email(tx, email):
        raise Conflict("email_exists")
    token = new_token()
    await queries.put(tx, user_id, user.email, email, tx.keyring.fingerprint(token))
    message = EmailChangeRequested(
        new_email=email,
        link=f"{address}/login/email/{token}",
        hours=int(EMAIL_CHANGE_LINK.total_seconds()) // 3600,
    )
    for recipient in await user_queries.list_recipients(tx, [user_id]):
        await outbox.send(tx, to=recipient, message=message)
    await audit.record(tx, "user.email_change_requested", user_id, "")
    return False


async def find(tx: Tx, user_id: UUID) -> EmailChange | None:
    """Returns the change that waits for confirmation."""
    return await queries.find(tx, user_id)


async def confirm_as_administrator(tx: Tx, user_id: UUID) -> None:
    """Confirms a change. Raises BusinessRule (email_change_invalid, own_email_change) or Conflict
    (email_exists).
    """
    if tx.actor.name == str(user_id):
        raise BusinessRule("own_email_change")
    await user_queries.get_for_update(tx, user_id)
    await _apply(tx, await queries.take(tx, user_id), by="administrator")


async def discard(tx: Tx, user_id: UUID) -> None:
    """Cancels a change. Raises BusinessRule (email_change_invalid)."""
    await user_queries.get_for_update(tx, user_id)
    if await queries.take(tx, user_id) is None:
        raise BusinessRule("email_change_invalid")
    await audit.record(tx, "user.email_change_discarded", user_id, "")


async def change_as_operator(tx: Tx, user_id: UUID, email: Email) -> bool:
    """Changes anybody's address at once, for tenants where nobody is left to confirm it.

    Returns whether it changed. Raises NotFound or Conflict (email_exists, user_erased).
    """
    user = await user_queries.get_for_update(tx, user_id)
    if user.email == email:
        return False
    await queries.take(tx, user_id)
    await _set_address(tx, user_id, email, by="operator")
    return True


async def find_by_link(database: Database, token: str) -> tuple[UUID, EmailChange] | None:
    """Returns a mailed link's tenant and change, or None if the link is not valid."""
    ticket = await _find_ticket(database, token)
    if ticket is None:
        return None
    async with database.transaction(ticket.tenant_id, read_only=True) as tx:
        change_found = await queries.find(tx, ticket.user_id)
    return (ticket.tenant_id, change_found) if change_found is not None else None


async def confirm_by_link(database: Database, token: str, request: Request) -> None:
    """Confirms a change. Raises BusinessRule (email_change_invalid) or Conflict (email_exists)."""
    ticket = await _get_ticket(database, token)
    async with database.transaction(ticket.tenant_id, actor=_actor(ticket, request)) as tx:
        await user_queries.get_for_update(tx, ticket.user_id)
        fingerprint = tx.keyring.fingerprint(token)
        await _apply(tx, await queries.take(tx, ticket.user_id, fingerprint, active=True), by="old_address")


async def discard_by_link(database: Database, token: str, request: Request) -> None:
    """Cancels a change. Raises BusinessRule (email_change_invalid)."""
    ticket = await _get_ticket(database, token)
    async with database.transaction(ticket.tenant_id, actor=_actor(ticket, request)) as tx:
        await user_queries.get_for_update(tx, ticket.user_id)
        if await queries.take(tx, ticket.user_id, tx.keyring.fingerprint(token)) is None:
            raise BusinessRule("email_change_invalid")
        await audit.record(tx, "user.email_change_discarded", ticket.user_id, "")


async def _apply(tx: Tx, pending: EmailChange | None, by: str) -> None:
    if pending is None:
        raise BusinessRule("email_change_invalid")
    await _set_address(tx, pending.user_id, Email(pending.new_email), by)


async def _set_address(tx: Tx, user_id: UUID, email: Email, by: str) -> None:
    await users.set_address(tx, user_id, email)
    await sessions.delete_links(tx, user_id)
    await audit.record(tx, "user.email_change_confirmed", user_id, "", by=by)


async def _find_ticket(database: Database, token: str) -> EmailChangeTicket | None:
    async with database.unscoped() as unscoped_connection:
        return await unscoped.find_email_change(unscoped_connection, database.keyring.fingerprint(token))


async def _get_ticket(database: Database, token: str) -> EmailChangeTicket:
    ticket = await _find_ticket(database, token)
    if ticket is None:
        raise BusinessRule("email_change_invalid")
    return ticket


def _actor(ticket: EmailChangeTicket, request: Request) -> Actor:
    return Actor("session", str(ticket.user_id), request.source)
