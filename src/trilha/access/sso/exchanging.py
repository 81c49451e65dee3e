"""The exchange of a ticket for a session: once, in the browser that began the sign-in."""

from datetime import datetime
from uuid import UUID

from trilha.access.sessions import queries as sessions
from trilha.access.sessions.actions import SignIn
from trilha.access.sessions.beginning import WayIn
from trilha.access.sessions.schema import SignedInPerson
from trilha.access.sso import browser, tickets
from trilha.access.sso.schema import Ticket
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import Unauthenticated
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.platform.audit import queries as audit


class Exchanges:
    def __init__(self, database: Database, sign_in: SignIn) -> None:
        self._database = database
        self._sign_in = sign_in

    async def exchange(self, ticket: str, request: Request, caller: Caller) -> SignedInPerson:
        """Starts a session, sets its cookie and ends the browser's previous session.

        Raises Unauthenticated (ticket_invalid). Of several simultaneous exchanges one succeeds. A later
        attempt, or one from another browser, ends the session that the ticket became, because one of the two
        has stolen it.
        """
        tenant_id = await tickets.find_tenant(self._database, ticket)
        if tenant_id is None:
            raise Unauthenticated("ticket_invalid")
        return await self._in_tenant(tenant_id, ticket, request, caller)

    async def _in_tenant(
        self, tenant_id: UUID, ticket: str, request: Request, caller: Caller
    ) -> SignedInPerson:
        own = browser.find(request, self._database.keyring)
        actor = Actor("sso", "", request.source)
        async with self._database.transaction(tenant_id, actor=actor) as tx:
            used = await tickets.use(tx, ticket, own) if own else None
            if used is not None:
                person, slug = await self._begin(tx, ticket, used, request)
            elif user_id := await tickets.end_session(tx, ticket, own):
                await audit.record(tx, "session.ended", user_id, reason="ticket used twice")
        if used is None:
            raise Unauthenticated("ticket_invalid")
        await self._sign_in.settle(request, caller, person.session, slug, person.user.email)
        return person

    async def _begin(self, tx: Tx, ticket: str, used: Ticket, request: Request) -> tuple[SignedInPerson, str]:
        account = await sessions.get_account(tx, used.user_id)
        if account.session_epoch != used.epoch or account.status != "ACTIVE":
            raise Unauthenticated("ticket_invalid")
        way = WayIn(
            connection_id=used.connection_id,
            subject=used.subject,
            session_index=used.session_index,
            ends_at=datetime.fromisoformat(used.session_ends_at) if used.session_ends_at else None,
        )
        slug = await sessions.get_slug(tx)
        person = await self._sign_in.by_provider(tx, account, slug, request, way)
        await tickets.note_session(tx, ticket, person.session.id, self._database.clock())
        return person, slug
