"""The last step after a provider's answer: a ticket for the browser, or a reference to the logged error."""

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlencode
from uuid import UUID

from trilha.access.sso import accounts, sign_ins, tickets
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.rules import FRONT_END, new_reference, test_address
from trilha.access.sso.schema import Connection, FederatedIdentity, Outcome, Step
from trilha.core import logs
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.web.request import Request
from trilha.people.users import queries as users

# Work for the transaction that creates the ticket, such as marking something as used.
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
    """Signs the person in and returns the front end's address with a ticket. Raises SignInRefused."""
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
    """Tests a sign-in and returns the address of its result. Everything but the log is rolled back.

    Raises SignInRefused.
    """
    user_id: UUID | None = None
    try:
        async with database.transaction(tenant_id, actor=actor_of(connection, request)) as tx:
            if within is not None:
                await within(tx)
            user_id = (await accounts.sign_in(tx, connection, identity)).id
            raise _Rollback
    except _Rollback:
        pass
    async with database.transaction(tenant_id) as tx:
        existing_id = user_id if user_id and await users.list_profiles(tx, [user_id]) else None
        trace = [*steps, Step("account", True, "an existing person" if existing_id else "a new learner")]
        entry = await sign_ins.record(tx, connection.id, "TESTED", user_id=existing_id, trace=trace)
    return test_address(connection.id, entry.id)


async def refuse(
    database: Database,
    tenant_id: UUID | None,
    connection_id: UUID | None,
    refusal: SignInRefused,
    *,
    steps: Sequence[Step] | None = None,
) -> str:
    """Returns the address of a page with a reference, by which administrators find the error in their log.

    `steps` are those that a test passed; a test returns the address of its result.
    """
    if tenant_id is None:
        reference = new_reference()
        logs.note("sign-in refused", code=refusal.code, reference=reference)
        return f"{FRONT_END}?{urlencode({'reference': reference})}"
    trace = None if steps is None else [*steps, Step(refusal.code, False, _describe(refusal))]
    outcome: Outcome = "REFUSED" if steps is None else "TESTED"
    async with database.transaction(tenant_id) as tx:
        entry = await sign_ins.record(tx, connection_id, outcome, refused=refusal, trace=trace)
    if steps is not None and connection_id is not None:
        return test_address(connection_id, entry.id)
    return f"{FRONT_END}?{urlencode({'reference': entry.reference})}"


def actor_of(connection: Connection, request: Request) -> Actor:
    return Actor("sso", str(connection.id), request.source)


class _Rollback(Exception):
    """Rolls a test back."""


def _describe(refusal: SignInRefused) -> str:
    return f"expected {refusal.expected or '-'}; received {refusal.received or '-'}"
