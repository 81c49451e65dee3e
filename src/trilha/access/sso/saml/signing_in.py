"""Sign-in with SAML."""

import asyncio
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.access.sso import completion, flows, unscoped
from trilha.access.sso import queries as connections
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.rules import is_secret
from trilha.access.sso.saml import queries
from trilha.access.sso.saml.assertions import (
    ExpectedResponse,
    SignedAssertion,
    read_request_id,
    read_response,
)
from trilha.access.sso.saml.certificates import OwnKey, fingerprint, load_certificate
from trilha.access.sso.saml.forms import SamlForm
from trilha.access.sso.saml.idp_initiated import Waiting, hold
from trilha.access.sso.saml.redirects import redirect_address
from trilha.access.sso.saml.requests import Header, sign_in_request
from trilha.access.sso.saml.schema import OwnAddresses, SamlDetail, StartQuery
from trilha.access.sso.schema import Connection, Flow, Step
from trilha.core.database import Database, Tx
from trilha.core.web.request import Request


class KnownConnection(Struct, frozen=True):
    """A connection found by the path of a message, before the message is read."""

    tenant_id: UUID
    connection: Connection
    detail: SamlDetail
    own_key: OwnKey
    own: OwnAddresses

    def build_expected_response(self, now: datetime) -> ExpectedResponse:
        return ExpectedResponse(
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
        """`address` is the server's public address, to which providers redirect."""
        self._database = database
        self._address = address

    async def find(self, connection_id: UUID) -> KnownConnection | None:
        """Finds a connection of any tenant. Returns None if it does not exist or its tenant is suspended."""
        async with self._database.unscoped() as asked:
            tenant_id = await unscoped.find_tenant_of_connection(asked, connection_id, "SAML")
        if tenant_id is None:
            return None
        async with self._database.transaction(tenant_id, read_only=True) as tx:
            return KnownConnection(
                tenant_id,
                await connections.get(tx, connection_id),
                await queries.get(tx, connection_id),
                await queries.get_own_key(tx, connection_id),
                OwnAddresses.of(self._address, connection_id),
            )

    async def start(self, query: StartQuery, request: Request) -> str:
        """Returns the provider's address, or that of an error page if there is no provider."""
        tenant_id: UUID | None = None
        try:
            tenant_id = await flows.find_active_tenant(self._database, query.tenant_slug)
            async with self._database.transaction(tenant_id) as tx:
                connection = await connections.find_enabled(tx, "SAML", query.connection)
                if connection is None:
                    raise SignInRefused("connection_missing", "an enabled connection by SAML", "none")
                return await self.begin(tx, connection, request, flows.check_return(query.return_to))
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
        """Returns the provider's address, to which to redirect the browser of this request."""
        detail = await queries.get(tx, connection.id)
        own = OwnAddresses.of(self._address, connection.id)
        state = await flows.begin(tx, connection, request, return_to, is_test=is_test)
        header = Header(_request_id(state), own.entity_id, detail.sso_url, tx.now)
        message = sign_in_request(header, own.acs_url)
        key = (await queries.get_own_key(tx, connection.id)).private if detail.sign_requests else None
        return redirect_address(detail.sso_url, "SAMLRequest", message, key)

    async def finish(self, connection_id: UUID, body: bytes, request: Request) -> str | Waiting:
        """Returns the address at which the front end redeems a ticket, or a page that shows a reference.

        For an unsolicited response, returns the sign-in that waits for the person's confirmation.
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
            expected = known.build_expected_response(self._database.clock())
            found = await asyncio.to_thread(read_response, form.message, expected)
            steps.append(_step(found, expected))
            if found.in_response_to is None:
                return await self._accept_unsolicited(known, found, form, request)
            flow = await self._take(known, found.in_response_to)
            return await self._complete(known, flow, found, request, steps)
        except SignInRefused as refused:
            test = flow.is_test if flow else await self._was_test(known, form)
            return await completion.refuse(
                self._database, known.tenant_id, connection_id, refused, steps=steps if test else None
            )

    async def _take(self, known: KnownConnection, request_id: str) -> Flow:
        """Takes the flow of this request, which works once. Raises SignInRefused."""
        state = request_id.removeprefix("_")
        if not is_secret(state):
            raise SignInRefused("flow_unknown")
        async with self._database.transaction(known.tenant_id) as tx:
            flow = await flows.take(tx, state)
        if flow.connection_id != known.connection.id:
            raise SignInRefused("flow_of_other_connection")
        return flow

    async def _was_test(self, known: KnownConnection, form: SamlForm) -> bool:
        """Whether a refused response belongs to a test, which shows more details. The test ends with it."""
        try:
            flow = await self._take(known, await asyncio.to_thread(read_request_id, form.message))
        except SignInRefused:
            return False
        return flow.is_test

    async def _complete(
        self, known: KnownConnection, flow: Flow, signed: SignedAssertion, request: Request, steps: list[Step]
    ) -> str:
        if not (known.connection.enabled or flow.is_test):
            raise SignInRefused("connection_disabled")

        async def within(tx: Tx) -> None:
            await _take_once(tx, known, signed)

        if flow.is_test:
            return await completion.complete_test(
                self._database, known.tenant_id, known.connection, signed.identity, request, steps, within
            )
        address = await completion.complete(
            self._database,
            known.tenant_id,
            known.connection,
            signed.identity,
            request,
            browser=flow.browser,
            return_to=flow.return_to,
            within=within,
        )
        await self._note_name_id(known, signed)
        return address

    async def _accept_unsolicited(
        self, known: KnownConnection, signed: SignedAssertion, form: SamlForm, request: Request
    ) -> Waiting:
        """Completes the sign-in but holds its ticket for the browser in which the person confirms."""
        if not known.connection.enabled:
            raise SignInRefused("connection_disabled")

        async def within(tx: Tx) -> None:
            await _take_once(tx, known, signed)

        waiting = await hold(
            self._database,
            known.tenant_id,
            known.connection,
            signed.identity,
            request,
            return_to=flows.check_return(form.relay_state),
            within=within,
        )
        await self._note_name_id(known, signed)
        return waiting

    async def _note_name_id(self, known: KnownConnection, signed: SignedAssertion) -> None:
        async with self._database.transaction(known.tenant_id) as tx:
            await queries.note_name_id(tx, known.connection.id, signed.identity.subject, signed.name_id)


async def _take_once(tx: Tx, known: KnownConnection, signed: SignedAssertion) -> None:
    if not await queries.accept_message_once(tx, known.connection.id, signed.id, signed.good_until):
        raise SignInRefused("replayed")


def _request_id(state: str) -> str:
    """Returns an XML id, which must not begin with a digit."""
    return f"_{state}"


def _step(signed: SignedAssertion, expected: ExpectedResponse) -> Step:
    keys = ", ".join(fingerprint(each)[:16] for each in expected.certificates)
    names = ", ".join(sorted(signed.identity.attributes)) or "no attribute"
    return Step("response", True, f"signed by one of {keys}; NameID {signed.name_id.format}; {names}")
