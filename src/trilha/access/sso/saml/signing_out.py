"""Single logout: a provider ends our sessions, and we report those that end here."""

import asyncio
from uuid import UUID

from trilha.access.sso import completion
from trilha.access.sso.completion import actor_of
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.rules import new_secret
from trilha.access.sso.saml import logouts, queries
from trilha.access.sso.saml.documents import Element
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.forms import SamlForm
from trilha.access.sso.saml.redirects import read_redirect, redirect_address
from trilha.access.sso.saml.requests import Header, logout_request, logout_response
from trilha.access.sso.saml.schema import OwnAddresses
from trilha.access.sso.saml.signing_in import KnownConnection, SamlSignIn
from trilha.core.database import Database, Tx
from trilha.core.web.request import Request
from trilha.platform.audit import queries as audit
from trilha.platform.tenants import unscoped as tenants

# The page after signing out of an unknown company.
SIGNED_OUT = "/login"
_LONGEST_RELAY_STATE = 1000


class SamlSignOut:
    def __init__(self, database: Database, sign_in: SamlSignIn, address: str) -> None:
        self._database = database
        self._sign_in = sign_in
        self._address = address

    async def begin(self, tx: Tx, session_id: UUID) -> str | None:
        """The provider's address at which its own session ends, for the browser of one that ends here.

        None for a session that began otherwise, and where the provider has no single logout.
        """
        found = await queries.find_session(tx, session_id)
        if found is None:
            return None
        connection_id, name_id, session_index = found
        detail = await queries.get(tx, connection_id)
        if detail.slo_url is None:
            return None
        own = OwnAddresses.of(self._address, connection_id)
        header = Header(f"_{new_secret()}", own.entity_id, detail.slo_url, tx.now)
        message = logout_request(header, name_id, session_index)
        key = (await queries.get_own_key(tx, connection_id)).private
        return redirect_address(detail.slo_url, "SAMLRequest", message, key)

    async def by_redirect(self, connection_id: UUID, request: Request) -> str:
        """Where the browser goes on, after a message in the query."""
        known = await self._sign_in.find(connection_id)
        if known is None:
            return SIGNED_OUT
        try:
            expected = known.build_expected_response(self._database.clock())
            message = read_redirect(request.query)
            if message.name == "SAMLResponse":
                # The session ended before the provider was asked: nothing is left to do.
                return await self._build_address(known)
            root = await asyncio.to_thread(
                logouts.read_redirected_logout, message, expected, known.own.slo_url
            )
            return await self._end(known, root, message.relay_state, request)
        except SignInRefused as error:
            return await completion.refuse(self._database, known.tenant_id, connection_id, error)

    async def by_form(self, connection_id: UUID, body: bytes, request: Request) -> str:
        """Where the browser goes on, after a message in a form."""
        known = await self._sign_in.find(connection_id)
        if known is None:
            return SIGNED_OUT
        try:
            expected = known.build_expected_response(self._database.clock())
            form = SamlForm.read(body, "SAMLRequest", "SAMLResponse")
            if form.name == "SAMLResponse":
                return await self._build_address(known)
            root = await asyncio.to_thread(
                logouts.read_posted_logout, form.name, form.message, expected, known.own.slo_url
            )
            return await self._end(known, root, form.relay_state, request)
        except SignInRefused as error:
            return await completion.refuse(self._database, known.tenant_id, connection_id, error)

    async def _end(
        self, known: KnownConnection, root: Element, relay_state: str | None, request: Request
    ) -> str:
        """Ends the sessions that are meant; where the answer goes. Raises SignInRefused."""
        asked = logouts.logout_request_of(root, known.build_expected_response(self._database.clock()))
        connection = known.connection
        actor = actor_of(connection, request)
        async with self._database.transaction(known.tenant_id, actor=actor) as tx:
            if not await queries.accept_message_once(tx, connection.id, asked.id, asked.good_until):
                raise build_refusal("saml_message_replayed")
            for user_id in await queries.end_sessions(
                tx, connection.id, asked.subject, asked.session_indexes
            ):
                await audit.record(tx, "session.ended", user_id, "", reason="single logout")
        return self._answer(known, asked.id, relay_state) or await self._build_address(known)

    async def _build_address(self, known: KnownConnection) -> str:
        """The sign-in of the person's own company."""
        async with self._database.unscoped() as asked:
            sign = await tenants.find_sign_of(asked, known.tenant_id)
        return f"{SIGNED_OUT}?tenant={sign.slug}" if sign else SIGNED_OUT

    def _answer(self, known: KnownConnection, request_id: str, relay_state: str | None) -> str | None:
        """None for a provider that wants no answer."""
        destination = known.detail.slo_answer_url
        if destination is None:
            return None
        header = Header(f"_{new_secret()}", known.own.entity_id, destination, self._database.clock())
        message = logout_response(header, request_id)
        short = relay_state if relay_state and len(relay_state) <= _LONGEST_RELAY_STATE else None
        return redirect_address(destination, "SAMLResponse", message, known.own_key.private, short)
