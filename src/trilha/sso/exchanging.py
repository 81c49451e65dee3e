"""A ticket is changed for a session: once, in the browser that the sign-in began in."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.audit import queries as audit
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import Forbidden, Unauthenticated
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.sessions import queries as sessions
from trilha.sessions.actions import SignIn
from trilha.sessions.beginning import WayIn
from trilha.sessions.identity import came_from_others
from trilha.sessions.schema import SignedInPerson
from trilha.sso import browser, tickets
from trilha.sso.schema import Ticket


class _UnderWay(Struct):
    """Exchanges of one ticket at the same time: `several` where there was more than one."""

    count: int = 0
    several: bool = False


class Exchanges:
    def __init__(self, database: Database, sign_in: SignIn) -> None:
        self._database = database
        self._sign_in = sign_in
        self._under_way: dict[str, _UnderWay] = {}

    async def exchange(self, ticket: str, request: Request, caller: Caller) -> SignedInPerson:
        """A session, set as the browser's cookie; one that the browser had before ends.

        Raises Unauthenticated (ticket_invalid), Forbidden (cross_site_request).

        Of several that come at once one succeeds. Who comes with a ticket that was used before they came is
        refused, and ends the session that it became: one of the two has stolen it.
        """
        if came_from_others(request):
            raise Forbidden("cross_site_request")
        arrived = self._database.clock()
        with self._noted(ticket) as under_way:
            tenant_id = await tickets.find_tenant(self._database, ticket)
            if tenant_id is None:
                raise Unauthenticated("ticket_invalid")
            return await self._in_tenant(tenant_id, ticket, request, caller, arrived, under_way)

    @contextmanager
    def _noted(self, ticket: str) -> Iterator["_UnderWay"]:
        """Who exchanges this ticket now, in this process."""
        under_way = self._under_way.setdefault(ticket, _UnderWay())
        under_way.count += 1
        under_way.several = under_way.count > 1 or under_way.several
        try:
            yield under_way
        finally:
            under_way.count -= 1
            if not under_way.count:
                del self._under_way[ticket]

    async def _in_tenant(
        self,
        tenant_id: UUID,
        ticket: str,
        request: Request,
        caller: Caller,
        arrived: datetime,
        under_way: "_UnderWay",
    ) -> SignedInPerson:
        own = browser.find(request, self._database.keyring)
        actor = Actor("sso", "", request.source)
        async with self._database.transaction(tenant_id, actor=actor) as tx:
            used = await tickets.use(tx, ticket, own) if own else None
            if used is not None:
                person, slug = await self._begin(tx, ticket, used, request)
            elif not under_way.several and (user_id := await tickets.end_session(tx, ticket, arrived)):
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
