"""Sign-in with OpenID Connect: one callback for all connections of all tenants."""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

from msgspec import to_builtins

from trilha.access.sso import completion, flows
from trilha.access.sso import queries as connections
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.oidc import queries, rules, token_endpoint, tokens
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.oidc.identity import build_claims_step, identity_of, join, lacks
from trilha.access.sso.oidc.key_cache import KeyCache
from trilha.access.sso.oidc.schema import CallbackQuery, Client, StartQuery
from trilha.access.sso.rules import new_secret
from trilha.access.sso.schema import Connection, Flow, Step
from trilha.core.database import Database, Tx
from trilha.core.outbound.fetching import Fetcher
from trilha.core.web.request import Request

START, CALLBACK = "/api/sso/oidc/start", "/api/sso/oidc/callback"


class OidcSignIn:
    def __init__(self, database: Database, fetcher: Fetcher, discovery: Discovery, address: str) -> None:
        """`address` is the server's public address, to which providers redirect."""
        self._database = database
        self._fetcher = fetcher
        self._discovery = discovery
        self._keys = KeyCache(database, discovery)
        self._address, self._host = address, urlsplit(address).netloc
        self.redirect_uri = f"{address}{CALLBACK}"

    async def start(self, query: StartQuery, request: Request) -> str:
        """Returns the provider's address, or that of an error page if there is no provider."""
        if (request.header(b"host") or "").endswith(f".{self._host}"):
            # On a company's own host, the cookie would be missing when the provider redirects
            # to ours.
            return f"{self._address}{START}?{request.query}"
        tenant_id: UUID | None = None
        try:
            tenant_id = await flows.find_active_tenant(self._database, query.tenant_slug)
            async with self._database.transaction(tenant_id) as tx:
                connection = await connections.find_enabled(tx, "OIDC", query.connection)
            if connection is None:
                raise SignInRefused("connection_missing", "an enabled connection by OpenID Connect", "none")
            await self._refresh(tenant_id, connection)
            async with self._database.transaction(tenant_id) as tx:
                return await self.begin(tx, connection, request, flows.check_return(query.return_to))
        except SignInRefused as refused:
            return await completion.refuse(self._database, tenant_id, query.connection, refused)

    async def _refresh(self, tenant_id: UUID, connection: Connection) -> None:
        """Reads the discovery document once a day, in case the provider has moved. Keeps the known
        addresses if that fails.
        """
        async with self._database.transaction(tenant_id) as tx:
            if not await queries.claim_document(tx, connection.id, tx.now - rules.DOCUMENT_AGE):
                return
            issuer = (await queries.get(tx, connection.id)).issuer
        document, alert = None, None
        try:
            document = await self._discovery.read(tenant_id, issuer)
        except SignInRefused as refused:
            alert = f"{refused.code}: {refused.expected}; {refused.received}"
        async with self._database.transaction(tenant_id) as tx:
            await connections.put_alert(tx, connection.id, "document_unreadable", alert)
            if document is not None and (await queries.get(tx, connection.id)).issuer == issuer:
                await queries.update(tx, connection.id, {"document": to_builtins(document)})

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
        client = await queries.get_client(tx, connection.id)
        nonce, verifier = new_secret(), new_secret()
        state = await flows.begin(
            tx, connection, request, return_to, is_test=is_test, nonce=nonce, verifier=verifier
        )
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        return _with_parameters(
            client.document.authorization_endpoint,
            response_type="code",
            client_id=client.client_id,
            redirect_uri=self.redirect_uri,
            scope=client.scopes,
            state=state,
            nonce=nonce,
            code_challenge=challenge,
            code_challenge_method="S256",
        )

    async def finish(self, query: CallbackQuery, request: Request) -> str:
        """Returns the address at which the front end redeems a ticket, or a page that shows a reference."""
        tenant_id: UUID | None = None
        flow: Flow | None = None
        steps: list[Step] = []
        try:
            tenant_id = await flows.find_tenant(self._database, query.state or "")
            if tenant_id is None:
                raise SignInRefused("flow_unknown")
            async with self._database.transaction(tenant_id) as tx:
                flow = await flows.take(tx, query.state or "")
                connection = await connections.get(tx, flow.connection_id)
                client = await queries.find_client(tx, flow.connection_id)
            if client is None:
                raise SignInRefused("flow_of_other_connection", "OIDC", connection.kind)
            if not (connection.enabled or flow.is_test):
                raise SignInRefused("connection_disabled")
            flows.check_browser(flow, request, self._database.keyring)
            code = _code(query, client)
            steps.append(Step("answer", True, f"iss: {query.iss or 'not told'}"))
            claims = await self._claims(tenant_id, connection, client, flow, code, steps)
            return await self._complete(tenant_id, connection, flow, claims, client.issuer, request, steps)
        except SignInRefused as refused:
            return await completion.refuse(
                self._database,
                tenant_id,
                flow.connection_id if flow else None,
                refused,
                steps=steps if flow and flow.is_test else None,
            )

    async def _claims(
        self,
        tenant_id: UUID,
        connection: Connection,
        client: Client,
        flow: Flow,
        code: str,
        steps: list[Step],
    ) -> Mapping[str, Any]:
        """Returns the provider's claims about the person, all verified."""
        assert flow.verifier is not None
        given = await token_endpoint.redeem(
            self._fetcher,
            tenant_id,
            client,
            code=code,
            verifier=flow.verifier,
            redirect_uri=self.redirect_uri,
            now=self._database.clock(),
        )
        steps.append(Step("token", True, client.document.token_endpoint))
        header = tokens.read_header(given.id_token, client.algorithms)
        keys = await self._keys.find(tenant_id, client, header)
        steps.append(Step("key", True, f"{header.algorithm}, {header.kid or 'without kid'}"))
        expected = tokens.ExpectedToken(
            client.issuer, client.client_id, lambda nonce: self._is_nonce(flow, nonce), given.access_token
        )
        claims = tokens.verify(given.id_token, header, keys, expected, self._database.clock())
        steps.append(build_claims_step(claims))
        endpoint = client.document.userinfo_endpoint
        if endpoint is None or given.access_token is None or not lacks(claims, connection):
            return claims
        more = await self._load_user_info(tenant_id, endpoint, given.access_token, claims, steps)
        return join(claims, more)

    async def _load_user_info(
        self,
        tenant_id: UUID,
        endpoint: str,
        access_token: str,
        claims: Mapping[str, Any],
        steps: list[Step],
    ) -> Mapping[str, Any]:
        """Loads the user info. If that fails, a person whose address is known can still sign in, unless
        the answer is about another subject.
        """
        try:
            more = await token_endpoint.read_person(
                self._fetcher, tenant_id, endpoint, access_token, claims["sub"]
            )
        except SignInRefused as refused:
            if refused.code != "userinfo_failed" or "email" not in claims:
                raise
            steps.append(Step("userinfo", False, f"{refused.expected}; {refused.received}"))
            return {}
        steps.append(build_claims_step(more))
        return more

    def _is_nonce(self, flow: Flow, nonce: str) -> bool:
        found = flows.nonce_fingerprint(self._database.keyring, nonce)
        return flow.nonce is not None and compare_digest(found, flow.nonce)

    async def _complete(
        self,
        tenant_id: UUID,
        connection: Connection,
        flow: Flow,
        claims: Mapping[str, Any],
        issuer: str,
        request: Request,
        steps: list[Step],
    ) -> str:
        identity = identity_of(claims, issuer)
        if flow.is_test:
            return await completion.complete_test(
                self._database, tenant_id, connection, identity, request, steps
            )
        return await completion.complete(
            self._database,
            tenant_id,
            connection,
            identity,
            request,
            browser=flow.browser,
            return_to=flow.return_to,
        )


def _code(query: CallbackQuery, client: Client) -> str:
    """Returns the code of an answer that is this provider's (RFC 9207 section 2.4). Raises SignInRefused."""
    if query.error is not None:
        raise SignInRefused("provider_error", received=rules.name_error(query.error))
    if query.iss is None and client.document.answers_name_issuer:
        raise SignInRefused("iss_missing", client.issuer, "none")
    if query.iss is not None and query.iss != client.issuer:
        raise SignInRefused("iss_mismatch", client.issuer, query.iss)
    if not query.code or len(query.code) > rules.LONGEST_CODE:
        raise SignInRefused("code_missing")
    return query.code


def _with_parameters(address: str, **parameters: str) -> str:
    """Adds parameters to an address; its other parameters remain."""
    parts = urlsplit(address)
    own = [(name, value) for name, value in parse_qsl(parts.query) if name not in parameters]
    return urlunsplit(parts._replace(query=urlencode([*own, *parameters.items()]), fragment=""))
