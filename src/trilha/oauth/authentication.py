"""Who calls /oauth: a client, with one of three ways to prove it."""

import hmac
from collections.abc import Mapping, Sequence
from contextlib import suppress
from uuid import UUID

from msgspec import Struct

from trilha.core.credentials import Credential, CredentialKind, PresentedCredential
from trilha.core.database import Database
from trilha.core.errors import Failure, Forbidden, RequestTimeout, Unauthenticated
from trilha.core.web.admission import Admission
from trilha.core.web.callers import Caller, Found, Presented, Public
from trilha.core.web.rate_limits import Hit, Limit, Usage
from trilha.core.web.request import Request
from trilha.oauth import assertions, queries, unscoped
from trilha.oauth.errors import OAuthError, invalid_client, invalid_request, wrong_audience
from trilha.oauth.rules import client_name, parse_basic, parse_client_name
from trilha.oauth.tokens import AccessTokens, Claims


class Proof(Struct, frozen=True):
    """What a client sent to prove who it is: a secret or an assertion."""

    name: str = ""  # as it is sent beside a secret
    secret: str | None = None
    client_id: UUID | None = None  # that an assertion claims; None where it cannot be one of ours
    assertion: str | None = None


class _Sent(Struct, frozen=True):
    """What a request to /oauth brings: the proof, its secret as it is looked up, and what the token says that
    is asked about."""

    proof: Proof
    secret: PresentedCredential | None
    claims: Claims | None
    asked: PresentedCredential | None


class OAuthCaller(Caller, frozen=True):
    """`asked` is the credential of the token that is asked about, where there is one; `claims` are what the
    token says."""

    asked: Credential | None = None
    claims: Claims | None = None

    @property
    def client(self) -> Credential:
        assert self.credential is not None
        return self.credential


class ClientLimits:
    """Every request counts against its address; one that proved its client against that client as well."""

    def __init__(self, usual: Limit, token: Limit) -> None:
        self._usual = usual
        self._token = token

    def __call__(self, request: Request, presented: Presented) -> Sequence[Hit]:
        family, limit = self.of(request)
        hits = [Hit(f"{family}:{request.counted_as}", limit)]
        if isinstance(sent := presented.detail, _Sent) and sent.secret:
            hits.append(Hit(f"{family}:", limit, credential=sent.secret))
        return hits

    def unproven(self, request: Request) -> Hit:
        """What a wrong secret counts as: a guess at one endpoint is a guess at all."""
        return Hit(f"token:{request.counted_as}", self._token)

    def of(self, request: Request) -> tuple[str, Limit]:
        """What the request counts as, and how many of these there may be."""
        family = (request.route and request.route.rate_limit) or "oauth"
        return family, self._token if family == "token" else self._usual


class ClientAuthentication:
    """The identity of /oauth."""

    def __init__(
        self, database: Database, admission: Admission, tokens: AccessTokens, limits: ClientLimits
    ) -> None:
        self._database = database
        self._admission = admission
        self._tokens = tokens
        self._limits = limits

    async def present(self, request: Request) -> Presented:
        if request.route is None or isinstance(request.route.access, Public):
            return Presented()
        try:
            if request.query:
                # What is in the address may be in a log.
                raise invalid_request("Parameters belong into the body.")
            form = await request.form(request.route.max_body)
            proof = read_proof(form, request.all_headers(b"authorization"))
        except RequestTimeout:
            # Not counted: thousands that are late at once would keep everybody else from the database.
            raise
        except Failure as failure:
            return Presented(failure=failure)
        secret = claims = asked = None
        if proof.secret:
            fingerprint = self._database.keyring.fingerprint(proof.secret)
            secret = PresentedCredential(CredentialKind.CLIENT_SECRET, fingerprint)
        if request.route.rate_limit == "introspect" and "token" in form:
            # What is no token of ours is not looked for.
            with suppress(Unauthenticated):
                claims = await self._tokens.read(form["token"])
                asked = claims.presented
        credentials = [each for each in (secret, asked) if each]
        return Presented(credentials, detail=_Sent(proof, secret, claims, asked))

    async def identify(self, request: Request, presented: Presented, found: Found) -> OAuthCaller:
        address = request.source
        if not isinstance(sent := presented.detail, _Sent):
            return OAuthCaller(failure=presented.failure, address=address)
        usage = None
        try:
            if sent.secret:
                client = _by_secret(sent.proof, sent.secret, found.get(sent.secret))
            else:
                client = await self._by_assertion(sent.proof)
                family, limit = self._limits.of(request)
                admitted = await self._admission.admit([], [Hit(f"{family}:{client.id}", limit)])
                usage = admitted.usage
            self._check(client, request)
        except Failure as failure:
            if isinstance(failure, OAuthError) and failure.code == "invalid_client":
                usage = await self._count(request, usage)
            return OAuthCaller(failure=failure, address=address, usage=usage)
        asked = found.get(sent.asked) if sent.asked else None
        return OAuthCaller(
            credential=client, address=address, found=found, usage=usage, asked=asked, claims=sent.claims
        )

    async def _count(self, request: Request, usage: Usage | None) -> Usage | None:
        """Counts a client that did not prove itself as at /oauth/token, wherever it tried."""
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
            good = assertions.check(proof.assertion, name, client.public_keys, self._tokens.issuer, now)
        except assertions.WrongAudience:
            raise wrong_audience(self._tokens.issuer) from None
        if good is None:
            raise invalid_client()
        async with self._database.transaction(client.tenant_id) as tx:
            if not await queries.use_assertion(tx, client.id, good.digest, good.expires_at):
                raise invalid_client()
        return client.as_credential()

    def _check(self, client: Credential, request: Request) -> None:
        try:
            client.check(request.address, self._database.clock())
        except Unauthenticated:
            raise invalid_client() from None
        except Forbidden:
            raise OAuthError("unauthorized_client", "The client may not call from this address.") from None


def _by_secret(proof: Proof, presented: PresentedCredential, found: Credential | None) -> Credential:
    # An unknown client and a wrong secret take the same look-up and the same comparisons.
    known = hmac.compare_digest(found.key if found else b"", presented.key)
    named = hmac.compare_digest(client_name(found.id).encode() if found else b"", proof.name.encode())
    if not (found and known and named):
        raise invalid_client()
    return found


def read_proof(form: Mapping[str, str], authorization: Sequence[str]) -> Proof:
    """Exactly one way (RFC 6749 section 2.3). Raises OAuthError."""
    ways = [bool(authorization), "client_secret" in form, "client_assertion" in form]
    if len(authorization) > 1 or sum(ways) > 1:
        raise invalid_request("Use one way to authenticate the client.")
    if not any(ways):
        raise invalid_client()
    if authorization:
        name, secret = parse_basic(authorization[0])
        if form.get("client_id", name) != name:
            raise invalid_request("The client_id is not that of the Authorization header.")
        return Proof(name, secret)
    if "client_assertion" in form:
        if form.get("client_assertion_type") != assertions.TYPE:
            raise invalid_request("The client_assertion_type is not one that is taken.")
        client_id = assertions.claimed_client(form["client_assertion"])
        if "client_id" in form and parse_client_name(form["client_id"]) != client_id:
            raise invalid_client()
        return Proof(client_id=client_id, assertion=form["client_assertion"])
    if "client_id" not in form:
        raise invalid_client()
    return Proof(form["client_id"], form["client_secret"])
