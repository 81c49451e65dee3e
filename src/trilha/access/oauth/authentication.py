"""Authenticates clients at /oauth in one of three ways."""

import hmac
from collections.abc import Mapping, Sequence
from contextlib import suppress
from uuid import UUID

from msgspec import Struct

from trilha.access.oauth import assertions, queries, unscoped
from trilha.access.oauth.errors import OAuthError, invalid_client, invalid_request, wrong_audience
from trilha.access.oauth.rules import client_name, parse_basic, parse_client_name
from trilha.access.oauth.tokens import AccessTokens, Claims
from trilha.core.credentials import Credential, CredentialKind, PresentedCredential
from trilha.core.database import Database
from trilha.core.errors import Failure, Forbidden, RequestTimeout, Unauthenticated
from trilha.core.web.admission import Admission
from trilha.core.web.callers import Caller, KnownCredentials, Public, RequestCredentials
from trilha.core.web.rate_limits import Hit, Limit, Usage
from trilha.core.web.request import Request


class Proof(Struct, frozen=True):
    """What a client sent to authenticate: a secret or an assertion."""

    name: str = ""  # the client_id sent with a secret
    secret: str | None = None
    client_id: UUID | None = None  # the client that an assertion names; None if it cannot be one of ours
    assertion: str | None = None


class _OAuthRequest(Struct, frozen=True):
    """The parsed request: the client's proof, its secret for the lookup, and the token to introspect."""

    proof: Proof
    secret: PresentedCredential | None
    claims: Claims | None
    token_credential: PresentedCredential | None


class OAuthCaller(Caller, frozen=True):
    """A client. `token_credential` and `claims` are those of the token to introspect, if there is one."""

    token_credential: Credential | None = None
    claims: Claims | None = None

    @property
    def client(self) -> Credential:
        assert self.credential is not None
        return self.credential


class ClientLimits:
    """Counts every request against its address, and that of an authenticated client against the client
    too.
    """

    def __init__(self, usual: Limit, token: Limit) -> None:
        self._usual = usual
        self._token = token

    def __call__(self, request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        family, limit = self.of(request)
        hits = [Hit(f"{family}:{request.counted_as}", limit)]
        if isinstance(oauth_request := presented.detail, _OAuthRequest) and oauth_request.secret:
            hits.append(Hit(f"{family}:", limit, credential=oauth_request.secret))
        return hits

    def unproven(self, request: Request) -> Hit:
        """Returns the hit for a failed authentication. All endpoints share it, so that guesses add up."""
        return Hit(f"token:{request.counted_as}", self._token)

    def of(self, request: Request) -> tuple[str, Limit]:
        """Returns the request's family and its limit."""
        family = (request.route and request.route.rate_limit) or "oauth"
        return family, self._token if family == "token" else self._usual


class ClientAuthentication:
    """Identifies the callers of /oauth."""

    def __init__(
        self, database: Database, admission: Admission, tokens: AccessTokens, limits: ClientLimits
    ) -> None:
        self._database = database
        self._admission = admission
        self._tokens = tokens
        self._limits = limits

    async def present(self, request: Request) -> RequestCredentials:
        if request.route is None or isinstance(request.route.access, Public):
            return RequestCredentials()
        try:
            if request.query:
                # URLs may end up in logs.
                raise invalid_request("Send the parameters in the body, not in the URL.")
            form = await request.form(request.route.max_body)
            proof = read_proof(form, request.all_headers(b"authorization"))
        except RequestTimeout:
            # Not counted: the counter is in the database, which thousands of slow clients at once would
            # occupy.
            raise
        except Failure as failure:
            return RequestCredentials(failure=failure)
        secret = claims = token_credential = None
        if proof.secret:
            fingerprint = self._database.keyring.fingerprint(proof.secret)
            secret = PresentedCredential(CredentialKind.CLIENT_SECRET, fingerprint)
        if request.route.rate_limit == "introspect" and "token" in form:
            # Anything but our own tokens is not looked up.
            with suppress(Unauthenticated):
                claims = await self._tokens.read(form["token"])
                token_credential = claims.credential
        credentials = [credential for credential in (secret, token_credential) if credential]
        return RequestCredentials(credentials, detail=_OAuthRequest(proof, secret, claims, token_credential))

    async def identify(
        self, request: Request, presented: RequestCredentials, known_credentials: KnownCredentials
    ) -> OAuthCaller:
        address = request.source
        if not isinstance(oauth_request := presented.detail, _OAuthRequest):
            return OAuthCaller(failure=presented.failure, address=address)
        usage = None
        try:
            if oauth_request.secret:
                client = _by_secret(
                    oauth_request.proof, oauth_request.secret, known_credentials.get(oauth_request.secret)
                )
            else:
                client = await self._by_assertion(oauth_request.proof)
                family, limit = self._limits.of(request)
                admitted = await self._admission.admit([], [Hit(f"{family}:{client.id}", limit)])
                usage = admitted.usage
            self._check(client, request)
        except Failure as failure:
            if isinstance(failure, OAuthError) and failure.code == "invalid_client":
                usage = await self._count(request, usage)
            return OAuthCaller(failure=failure, address=address, usage=usage)
        token_credential = (
            known_credentials.get(oauth_request.token_credential) if oauth_request.token_credential else None
        )
        return OAuthCaller(
            credential=client,
            address=address,
            known_credentials=known_credentials,
            usage=usage,
            token_credential=token_credential,
            claims=oauth_request.claims,
        )

    async def _count(self, request: Request, usage: Usage | None) -> Usage | None:
        """Counts a failed authentication against the limit of /oauth/token, whatever the endpoint."""
        family, _ = self._limits.of(request)
        if family == "token":
            return usage
        return (await self._admission.admit([], [self._limits.unproven(request)])).usage

    async def _by_assertion(self, proof: Proof) -> Credential:
        if proof.client_id is None or proof.assertion is None:
            raise invalid_client()
        async with self._database.unscoped() as statements:
            client = await unscoped.find_signing_client(statements, proof.client_id)
        if client is None:
            raise invalid_client()
        name, now = client_name(client.id), self._database.clock()
        try:
            checked = assertions.check(proof.assertion, name, client.public_keys, self._tokens.issuer, now)
        except assertions.WrongAudience:
            raise wrong_audience(self._tokens.issuer) from None
        if checked is None:
            raise invalid_client()
        async with self._database.transaction(client.tenant_id) as tx:
            if not await queries.use_assertion(tx, client.id, checked.digest, checked.expires_at):
                raise invalid_client()
        return client.as_credential()

    def _check(self, client: Credential, request: Request) -> None:
        try:
            client.check(request.address, self._database.clock())
        except Unauthenticated:
            raise invalid_client() from None
        except Forbidden:
            raise OAuthError(
                "unauthorized_client", "The client may not be used from this IP address."
            ) from None


def _by_secret(proof: Proof, presented: PresentedCredential, credential: Credential | None) -> Credential:
    # An unknown client and a wrong secret take the same lookup and comparisons, so that timing does not tell
    # them apart.
    secret_matches = hmac.compare_digest(credential.key if credential else b"", presented.key)
    name_matches = hmac.compare_digest(
        client_name(credential.id).encode() if credential else b"", proof.name.encode()
    )
    if not (credential and secret_matches and name_matches):
        raise invalid_client()
    return credential


def read_proof(form: Mapping[str, str], authorization: Sequence[str]) -> Proof:
    """Returns the proof of exactly one authentication method (RFC 6749 section 2.3). Raises OAuthError."""
    ways = [bool(authorization), "client_secret" in form, "client_assertion" in form]
    if len(authorization) > 1 or sum(ways) > 1:
        raise invalid_request("Use exactly one client authentication method.")
    if not any(ways):
        raise invalid_client()
    if authorization:
        name, secret = parse_basic(authorization[0])
        if form.get("client_id", name) != name:
            raise invalid_request("The client_id differs from the one in the Authorization header.")
        return Proof(name, secret)
    if "client_assertion" in form:
        if form.get("client_assertion_type") != assertions.TYPE:
            raise invalid_request("The client_assertion_type is not supported.")
        client_id = assertions.parse_client(form["client_assertion"])
        if "client_id" in form and parse_client_name(form["client_id"]) != client_id:
            raise invalid_client()
        return Proof(client_id=client_id, assertion=form["client_assertion"])
    if "client_id" not in form:
        raise invalid_client()
    return Proof(form["client_id"], form["client_secret"])
