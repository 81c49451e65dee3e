"""The way to a provider by SAML, and back."""

import asyncio
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, Tx
from trilha.core.web.request import Request
from trilha.sso import completion, flows, unscoped
from trilha.sso import queries as connections
from trilha.sso.errors import SignInRefused
from trilha.sso.rules import is_secret
from trilha.sso.saml import queries
from trilha.sso.saml.assertions import Expected, SignedAssertion, read_response, told_request
from trilha.sso.saml.certificates import OwnKey, fingerprint, load_certificate
from trilha.sso.saml.forms import SamlForm
from trilha.sso.saml.redirects import redirect_address
from trilha.sso.saml.requests import Header, sign_in_request
from trilha.sso.saml.schema import OwnAddresses, SamlDetail, StartQuery
from trilha.sso.saml.unsolicited import Waiting, hold
from trilha.sso.schema import Connection, Flow, Step


class Known(Struct, frozen=True):
    """A connection as a message finds it: by the path, and before the message is read."""

    tenant_id: UUID
    connection: Connection
    detail: SamlDetail
    own_key: OwnKey
    own: OwnAddresses

    def expected(self, now: datetime) -> Expected:
        return Expected(
            issuer=self.detail.entity_id,
            certificates=[load_certificate(each) for each in self.detail.certificates],
            audience=self.own.entity_id,
            acs_url=self.own.acs_url,
            now=now,
            key=self.own_key.private,
            encrypted=self.detail.wants_encrypted,
            unsolicited=self.connection.idp_initiated,
        )


class SamlSignIn:
    def __init__(self, database: Database, address: str) -> None:
        """`address` is the server's own, which providers lead back to."""
        self._database = database
        self._address = address

    async def find(self, connection_id: UUID) -> Known | None:
        """Whichever tenant's it is; None for one that is not there, or is of a suspended tenant."""
        async with self._database.unscoped() as asked:
            tenant_id = await unscoped.find_tenant_of_connection(asked, connection_id, "SAML")
        if tenant_id is None:
            return None
        async with self._database.transaction(tenant_id, read_only=True) as tx:
            return Known(
                tenant_id,
                await connections.get(tx, connection_id),
                await queries.get(tx, connection_id),
                await queries.get_own_key(tx, connection_id),
                OwnAddresses.of(self._address, connection_id),
            )

    async def start(self, query: StartQuery, request: Request) -> str:
        """The address of the provider; that of an error page where there is none to go to."""
        tenant_id: UUID | None = None
        try:
            tenant_id = await flows.find_active_tenant(self._database, query.tenant_slug)
            async with self._database.transaction(tenant_id) as tx:
                connection = await connections.find_enabled(tx, "SAML", query.connection)
                if connection is None:
                    raise SignInRefused("connection_missing", "an enabled connection by SAML", "none")
                return await self.begin(tx, connection, request, flows.checked_return(query.return_to))
        except SignInRefused as refused:
            return await completion.refuse(self._database, tenant_id, query.connection, refused)

    async def begin(
        self,
        tx: Tx,
        connection: Connection,
        request: Request,
        return_to: str | None = None,
        *,
        is_test: bool = False,
    ) -> str:
        """The provider's address, to which the browser of this request is to be led."""
        detail = await queries.get(tx, connection.id)
        own = OwnAddresses.of(self._address, connection.id)
        state = await flows.begin(tx, connection, request, return_to, is_test=is_test)
        header = Header(_request_id(state), own.entity_id, detail.sso_url, tx.now)
        message = sign_in_request(header, own.acs_url)
        key = (await queries.get_own_key(tx, connection.id)).private if detail.sign_requests else None
        return redirect_address(detail.sso_url, "SAMLRequest", message, key)

    async def finish(self, connection_id: UUID, body: bytes, request: Request) -> str | Waiting:
        """The address at which the front end finds a ticket, or a page that tells a reference.

        Where the provider began by itself, what waits for the person to say that they want it.
        """
        known = await self.find(connection_id)
        if known is None:
            refused = SignInRefused("connection_missing", "a connection by SAML", "none")
            return await completion.refuse(self._database, None, None, refused)
        steps: list[Step] = []
        flow: Flow | None = None
        form = SamlForm()
        try:
            form = SamlForm.read(body, "SAMLResponse")
            expected = known.expected(self._database.clock())
            found = await asyncio.to_thread(read_response, form.message, expected)
            steps.append(_step(found, expected))
            if found.in_response_to is None:
                return await self._unsolicited(known, found, form, request)
            flow = await self._take(known, found.in_response_to)
            return await self._complete(known, flow, found, request, steps)
        except SignInRefused as refused:
            test = flow.is_test if flow else await self._was_test(known, form)
            return await completion.refuse(
                self._database, known.tenant_id, connection_id, refused, steps=steps if test else None
            )

    async def _take(self, known: Known, request_id: str) -> Flow:
        """Of this tenant and connection, and once. Raises SignInRefused."""
        state = request_id.removeprefix("_")
        if not is_secret(state):
            raise SignInRefused("flow_unknown")
        async with self._database.transaction(known.tenant_id) as tx:
            flow = await flows.take(tx, state)
        if flow.connection_id != known.connection.id:
            raise SignInRefused("flow_of_other_connection")
        return flow

    async def _was_test(self, known: Known, form: SamlForm) -> bool:
        """Whether what could not be taken answers a test, of which more is shown. It is over with that."""
        try:
            flow = await self._take(known, await asyncio.to_thread(told_request, form.message))
        except SignInRefused:
            return False
        return flow.is_test

    async def _complete(
        self, known: Known, flow: Flow, found: SignedAssertion, request: Request, steps: list[Step]
    ) -> str:
        if not (known.connection.enabled or flow.is_test):
            raise SignInRefused("connection_disabled")

        async def within(tx: Tx) -> None:
            await _take_once(tx, known, found)

        if flow.is_test:
            return await completion.complete_test(
                self._database, known.tenant_id, known.connection, found.identity, request, steps, within
            )
        address = await completion.complete(
            self._database,
            known.tenant_id,
            known.connection,
            found.identity,
            request,
            browser=flow.browser,
            return_to=flow.return_to,
            within=within,
        )
        await self._note_name_id(known, found)
        return address

    async def _unsolicited(
        self, known: Known, found: SignedAssertion, form: SamlForm, request: Request
    ) -> Waiting:
        """All is done as at any other sign-in, but for the ticket: its browser is the one that says yes."""
        if not known.connection.enabled:
            raise SignInRefused("connection_disabled")

        async def within(tx: Tx) -> None:
            await _take_once(tx, known, found)

        waiting = await hold(
            self._database,
            known.tenant_id,
            known.connection,
            found.identity,
            request,
            return_to=flows.checked_return(form.relay_state),
            within=within,
        )
        await self._note_name_id(known, found)
        return waiting

    async def _note_name_id(self, known: Known, found: SignedAssertion) -> None:
        async with self._database.transaction(known.tenant_id) as tx:
            await queries.note_name_id(tx, known.connection.id, found.identity.subject, found.name_id)


async def _take_once(tx: Tx, known: Known, found: SignedAssertion) -> None:
    if not await queries.note_message(tx, known.connection.id, found.id, found.good_until):
        raise SignInRefused("replayed")


def _request_id(state: str) -> str:
    """An XML id begins with no digit."""
    return f"_{state}"


def _step(found: SignedAssertion, expected: Expected) -> Step:
    keys = ", ".join(fingerprint(each)[:16] for each in expected.certificates)
    names = ", ".join(sorted(found.identity.attributes)) or "no attribute"
    return Step("response", True, f"signed by one of {keys}; NameID {found.name_id.format}; {names}")
