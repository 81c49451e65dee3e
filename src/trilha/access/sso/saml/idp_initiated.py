"""Sign-ins that the provider initiates.

Nothing shows that the person in front of this browser wanted them: a page could post a response of somebody
else's, and the person would go on in that one's name. So they are asked, on a page of ours. Until they say
yes the ticket belongs to no browser.
"""

from urllib.parse import urlencode
from uuid import UUID

from msgspec import Struct

from trilha.access.sso import accounts, browser, sign_ins, tickets
from trilha.access.sso.completion import Within, actor_of
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.rules import FLOW, FRONT_END, TICKET, is_secret, new_secret
from trilha.access.sso.saml import queries
from trilha.access.sso.schema import Connection, FederatedIdentity
from trilha.core.database import Database
from trilha.core.secrets import Keyring
from trilha.core.web.request import Request
from trilha.people.users.schema import User


class Waiting(Struct, frozen=True):
    """What a yes turns into a ticket, and for whom it is. `continuation` is for the page alone."""

    tenant_id: UUID
    user: User
    continuation: str
    return_to: str | None


async def hold(
    database: Database,
    tenant_id: UUID,
    connection: Connection,
    identity: FederatedIdentity,
    request: Request,
    *,
    return_to: str | None,
    within: Within,
) -> Waiting:
    """Raises SignInRefused."""
    secret = new_secret()
    holder = _holder(database.keyring, secret)
    async with database.transaction(tenant_id, actor=actor_of(connection, request)) as tx:
        await within(tx)
        user = await accounts.sign_in(tx, connection, identity)
        ticket = await tickets.issue(tx, user, connection, holder, identity)
        await queries.hold_ticket(tx, holder, tx.now + FLOW)
        await sign_ins.record(tx, connection.id, "SIGNED_IN", user_id=user.id)
    return Waiting(tenant_id, user, f"{secret}{ticket}", return_to)


async def go_on(
    database: Database,
    tenant_id: UUID,
    connection_id: UUID,
    continuation: str,
    return_to: str | None,
    request: Request,
) -> str:
    """The address at which the front end finds the ticket: it is this browser's now. Raises SignInRefused."""
    secret, ticket = continuation[:43], continuation[43:]
    if not is_secret(secret) or not is_secret(ticket):
        raise SignInRefused("flow_unknown")
    async with database.transaction(tenant_id) as tx:
        own = browser.mark(request, tx.keyring)
        holder = _holder(tx.keyring, secret)
        if not await queries.give_ticket(tx, connection_id, holder, own, tx.now + TICKET):
            raise SignInRefused("flow_expired")
    fragment = {"ticket": ticket} | ({"return_to": return_to} if return_to else {})
    return f"{FRONT_END}#{urlencode(fragment)}"


def _holder(keyring: Keyring, secret: str) -> bytes:
    """In the place of a browser's fingerprint, and none of any browser."""
    return keyring.fingerprint(f"sso-waiting:{secret}")
