"""The last step at a provider's answer, whichever way it came: a ticket for the browser, or a reference."""

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlencode
from uuid import UUID

from trilha.core import logs
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.web.request import Request
from trilha.sso import accounts, sign_ins, tickets
from trilha.sso.errors import SignInRefused
from trilha.sso.rules import FRONT_END, new_reference, test_address
from trilha.sso.schema import Connection, FederatedIdentity, Outcome, Step
from trilha.users import queries as users

# What is done in the transaction in which the ticket is made, such as noting what may not be used twice.
Within = Callable[[Tx], Awaitable[None]]


async def complete(
    database: Database,
    tenant_id: UUID,
    connection: Connection,
    identity: FederatedIdentity,
    request: Request,
    *,
    browser: bytes,
    return_to: str | None = None,
    within: Within | None = None,
) -> str:
    """The address at which the front end finds a ticket. Raises SignInRefused."""
    async with database.transaction(tenant_id, actor=actor_of(connection, request)) as tx:
        if within is not None:
            await within(tx)
        user = await accounts.sign_in(tx, connection, identity)
        ticket = await tickets.issue(tx, user, connection, browser, identity)
        await sign_ins.record(tx, connection.id, "SIGNED_IN", user_id=user.id)
    fragment = {"ticket": ticket} | ({"return_to": return_to} if return_to else {})
    return f"{FRONT_END}#{urlencode(fragment)}"


async def complete_test(
    database: Database,
    tenant_id: UUID,
    connection: Connection,
    identity: FederatedIdentity,
    request: Request,
    steps: Sequence[Step],
    within: Within | None = None,
) -> str:
    """The address of what came of a test. All is done as at a sign-in, and nothing of it is kept but the log.

    Raises SignInRefused.
    """
    user_id: UUID | None = None
    try:
        async with database.transaction(tenant_id, actor=actor_of(connection, request)) as tx:
            if within is not None:
                await within(tx)
            user_id = (await accounts.sign_in(tx, connection, identity)).id
            raise _Undone
    except _Undone:
        pass
    async with database.transaction(tenant_id) as tx:
        known = user_id if user_id and await users.list_profiles(tx, [user_id]) else None
        trace = [*steps, Step("account", True, "an existing person" if known else "a new learner")]
        entry = await sign_ins.record(tx, connection.id, "TESTED", user_id=known, trace=trace)
    return test_address(connection.id, entry.id)


async def refuse(
    database: Database,
    tenant_id: UUID | None,
    connection_id: UUID | None,
    refused: SignInRefused,
    *,
    steps: Sequence[Step] | None = None,
) -> str:
    """The address of a page that tells the person a reference. Administrators find in their log what it was.

    `steps` are those that a test passed until then: whoever tests is led to what came of it.
    """
    if tenant_id is None:
        reference = new_reference()
        logs.note("sign-in refused", code=refused.code, reference=reference)
        return f"{FRONT_END}?{urlencode({'reference': reference})}"
    trace = None if steps is None else [*steps, Step(refused.code, False, _told(refused))]
    outcome: Outcome = "REFUSED" if steps is None else "TESTED"
    async with database.transaction(tenant_id) as tx:
        entry = await sign_ins.record(tx, connection_id, outcome, refused=refused, trace=trace)
    if steps is not None and connection_id is not None:
        return test_address(connection_id, entry.id)
    return f"{FRONT_END}?{urlencode({'reference': entry.reference})}"


def actor_of(connection: Connection, request: Request) -> Actor:
    return Actor("sso", str(connection.id), request.source)


class _Undone(Exception):
    """Rolls a test back."""


def _told(refused: SignInRefused) -> str:
    return f"expected {refused.expected or '-'}; received {refused.received or '-'}"
